/** When each error is answered, and what to do about it. The OpenAPI document and the page of errors are made from it. */
import type { ErrorName } from './errors.ts'

interface ErrorWords {
  readonly when: string
  readonly todo: string
}

export const errorWords: Readonly<Record<ErrorName, ErrorWords>> = {
  Unauthorized: {
    when: 'The key, token or session is missing, not valid, revoked, or of the wrong kind for this call.',
    todo: 'Check which key is sent: `otp_sk_…` from a backend, `otp_pk_…` from a device. Make a new one if it was revoked. Do not retry.',
  },
  TokenNotFound: {
    when: 'The token is unknown, expired, taken by another key, or of another app; the answer does not say which.',
    todo: 'Do not retry. Start a new verification.',
  },
  PathNotFound: { when: 'There is nothing at this path.', todo: 'Compare the path with the reference.' },
  MethodNotAllowed: {
    when: 'The path takes another method, which `Allow` names.',
    todo: 'Use one of the methods in `details.allow`.',
  },
  BodyTooLarge: { when: 'The body has more than 64 KiB.', todo: 'Send less.' },
  WrongContentType: {
    when: 'Management takes JSON only.',
    todo: 'Send `Content-Type: application/json`.',
  },
  ValidationError: {
    when: 'A field, parameter or header is missing, malformed, too long or unknown.',
    todo: 'Correct what `details.fields` names. The same call would be refused again.',
  },
  InvalidRecipientError: {
    when: 'The recipient is not a phone number or email address that one person can own.',
    todo: 'Ask the person to check what they typed. A number needs `+` and its country code.',
  },
  InvalidIdempotencyKeyError: {
    when: '`idempotency-key` is longer than 128 characters; or, on a management call, it was used before with another body or query.',
    todo: 'Too long: use a shorter one, such as a random id of the attempt. Used before: that call has taken effect; look at what it made, and use another key for another call.',
  },
  InsufficientFundsError: {
    when: 'The balance does not cover the message.',
    todo: 'The operator adds to the balance. Tell the person to try later, and set an alert on `low_balance`.',
  },
  GeoBlockedError: {
    when: 'The app does not send to the recipient’s country.',
    todo: 'Offer another way, or allow the country in the app’s `geo` setting.',
  },
  IpReputationBlockedError: {
    when: 'The end user’s address is on a list of abusive ones.',
    todo: 'Do not retry from the same address. If people are refused wrongly, look at the lists or write a rule that lets them pass.',
  },
  AppPausedError: {
    when: 'Somebody has paused the app. Pending verifications continue.',
    todo: 'Resume the app in the dashboard.',
  },
  RuleBlockedError: {
    when: 'One of the app’s own rules refuses it; `details.rule` has its name.',
    todo: 'Look at the rule and at the decision in the list of refusals.',
  },
  RecipientBlockedError: {
    when: 'Somebody has blocked this recipient in the company.',
    todo: 'Lift the exception if it is a mistake.',
  },
  NoEnabledChannelError: {
    when: 'No channel that is enabled and has a provider can reach the recipient.',
    todo: 'Preview the send: it says for each channel why it was left out. Offer the person email instead of a number, or the other way round.',
  },
  RateLimitExceededError: {
    when: 'A limit is reached; `details.scope` says which.',
    todo: 'Wait as long as `Retry-After` says. With the scope `app_without_ip`, pass `client_ip` on every send.',
  },
  ResendNotAllowedError: {
    when: 'The send attempts are spent, the named channel cannot be used, or no channel is left.',
    todo: 'Start a new verification, or name another channel.',
  },
  ResendCooldownError: {
    when: 'The cooldown after the last send is not over.',
    todo: 'Wait as long as `Retry-After` says. Show a countdown from `resend_available_at`.',
  },
  OtpNotFoundError: {
    when: 'There is no such verification in the app of this key.',
    todo: 'Check that the key is of the app that sent it. Old verifications are dropped after the retention time.',
  },
  OtpNotPendingError: {
    when: 'The verification is over; `details.otp_status` says how.',
    todo: '`approved`: continue. `failed` or `expired`: start a new one.',
  },
  CodeNotExpectedError: {
    when: 'This verification is approved by the person’s WhatsApp message, not by a code.',
    todo: 'Show the link of `action_url`, and wait for `otp.approved` or look the verification up.',
  },
  ForbiddenError: {
    when: 'The person’s role does not allow it, or the call comes from a page of another origin.',
    todo: 'Ask an owner of the company.',
  },
  FreshSignInNeededError: {
    when: 'The person has to prove again who they are.',
    todo: 'Prove it with a code or a passkey, then repeat the call.',
  },
  PasskeyNeededError: {
    when: 'The company requires a passkey from its members, and this session has not used one.',
    todo: 'Sign in with a passkey.',
  },
  NotFoundError: {
    when: 'There is no such thing, or it belongs to another company.',
    todo: 'Check the id, and whose it is.',
  },
  ConflictError: {
    when: 'The current state does not allow it: for example, somebody else has changed the same thing meanwhile, or the endpoint is paused.',
    todo: 'Read it again, then decide. The message says what prevents the call.',
  },
  LimitReachedError: {
    when: 'The maximum number of these is reached.',
    todo: 'Remove one that is no longer needed.',
  },
  UnavailableError: {
    when: 'The database cannot be reached, or too many calls are waiting.',
    todo: 'Try again after `Retry-After`; repeat a send, or a change that takes one, with the same idempotency key.',
  },
  InternalError: {
    when: 'A bug in the service.',
    todo: 'Give the operator the `request_id`, which leads to it in the log.',
  },
}
