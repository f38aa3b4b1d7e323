/** What an operation does beyond its summary, for readers of the reference and of generated clients. */
import type { OperationName } from '../operations.ts'

export const operationWords: Partial<Record<OperationName, string>> = {
  send: 'Makes a code and sends it over the first channel of the app’s order that can reach the recipient. The caller never names the channel. In the WhatsApp link modes nothing is sent yet: `action_url` is a link that the person opens. A refused send starts no verification and charges nothing.',
  resend:
    'Without `channel` it goes to the next one of the order, and repeats the last usable one at the end; the same code is issued again. A named channel gets a fresh code. Every resend but that of the same link spends one send attempt, and the cooldown applies to all.',
  verify:
    'A wrong code is an answer, not an error: `matched` is false, and `status` becomes `failed` with the last attempt. The same key may repeat the right code within `token_ttl_s` and gets the same answer. With a publishable key a match brings a `verification_token` for your backend to exchange.',
  status:
    'A server key sees deliveries, attempts and times. A publishable key sees only what a device needs: status, channel, link, and when a resend is possible.',
  decision:
    'Each send and resend with the rules that ran, in their order, what each found and why. `facts` is for programs, `why` for people.',
  preview:
    'Asks the same rules as a send. Where a send would be refused the answer is still 200, with `error` and the decision up to that rule.',
  exchange:
    'The only proof that a device has verified. The first server key that brings a token keeps it and may repeat the call; unknown, expired, foreign and taken tokens are one and the same 404.',
  createCompany: 'A company owns members, balance and apps. `metered: false` sends without charge.',
  listCompanies:
    'Operators see all, others the companies in which they are a member. `search` finds a part of the name, or an id.',
  updateCompany: 'Only what is in the body changes.',
  closeCompany:
    'Members, invitations and provider accounts go at once, apps and what they have in the minutes after. The ledger becomes one sum, which operators can still see.',
  listApps: 'Without `limit` the list comes whole.',
  getCompany: 'The balance is what is left after reservations of messages that are still under way.',
  creditCompany: 'Writes one entry of the kind `credit` into the ledger. The answer has the new balance.',
  listLedger:
    'A send takes its price at once (`reserve`), a carrier’s acceptance keeps it (`capture`), a failed delivery brings it back (`return`). The amounts add up to the balance.',
  getCompanySpend:
    'Over the last seven days, with how long the balance lasts at that pace, and the last 30 days one by one.',
  eraseRecipient:
    'Blanks the recipient in every verification and refusal of the company, ends what is pending, and drops stored replays and what was remembered as unreachable.',
  getPrices:
    'One price for each channel, and others by country. `whatsapp_reply` is the code that answers a person’s message in the mode `link_code`.',
  putPrices: 'The whole book: what is left out is no longer priced by country. In force for the next send.',
  createApp:
    'Takes a name, which appears in messages, and any settings; the others have their defaults. The answer has all of them.',
  getApp: 'All settings, also those that have their default.',
  updateApp:
    'The result is judged whole, and a refusal names the path. In force on every node within a second. `code_length`, `max_verify_attempts` and `max_sends` count for verifications that start afterwards.',
  pauseApp:
    'Sends are 403 `AppPausedError` on every node within a second. Resend and verify go on for what is pending.',
  resumeApp: 'Sends are accepted again on every node within a second.',
  deleteApp:
    'Messages that nobody has taken yet fail, and their money comes back. There is no way to undo it.',
  createKey:
    'A `server` key is for backends, a `publishable` one for browsers and mobile apps. The whole key is in this answer and never again.',
  listKeys: 'Without the keys themselves: how they begin and end, when they were last used, and how much.',
  revokeKey:
    'Calls with it are 401 from then on. It stays in the list with the time at which it was revoked.',
  listBlocks:
    'Ranges of numbers, carriers and countries where new numbers were sent to and hardly anybody typed the code.',
  liftBlock: 'If the traffic stays as it was, the block may be back after that.',
  restoreBlock: 'The place is closed and owes again what it did, for as long as the block would still stand.',
  getSpend:
    'By country of the recipient for the UTC day, and for the hour less what was spent on approved verifications.',
  getGuessing: 'An alarm refuses nothing. Look at who starts these verifications.',
  lintMessage:
    'Encoding, segments, price, the text as a person would get it, and what is wrong with it. Nothing is saved.',
  listProviders:
    'Those of a company with `company_id`; without it those of all, the operator’s first, which only operators may read. `state` says whether each is up, and what it took in the last hour.',
  createProvider:
    'The settings depend on `kind`. Credentials are stored encrypted and never read back. Accounts of a company come before those of the operator.',
  updateProvider:
    'A change of host, port or address needs the credentials again in the same call: stored ones never go to a host that they were not given for.',
  deleteProvider: 'For good, with its credentials. `enabled: false` rests an account instead.',
  checkProvider: 'Settings, then the connection. The first step that fails is the last one.',
  testProvider: 'It costs what the provider asks and is charged to no company.',
  dryRunProvider: 'Method, address, headers and body as the gateway would get them.',
  listWebhooks: 'At most ten.',
  createWebhook:
    'Takes all types of events, or those in `types`. `signing_secret` of the answer is needed to check signatures, and is shown here only.',
  getEndpoint: '`held` counts the events that wait while it is paused.',
  updateEndpoint: 'A new address does not end a pause. `signing_secret` replaces the secret at once.',
  deleteEndpoint: 'Other endpoints of the app still get their events.',
  enableEndpoint:
    'If that one succeeds, the rest follows, oldest first. If it fails, the endpoint is paused again.',
  countUnsentOfEndpoint: 'Those that wait, are held or are under way.',
  rotateSecretOfEndpoint:
    'For 24 hours the previous secret signs too, in `X-Webhook-Signature-Previous`. A second rotation drops the oldest.',
  testEndpoint: 'One `otp.approved` for a made-up id, marked as a test in the list of events.',
  putWebhook:
    'The first call makes a secret and shows it; later ones keep it and answer null. The app’s other endpoints are not touched.',
  getWebhook: 'The same endpoint stands first in the list of all.',
  deleteWebhook: 'The next one, if there is one, is the first then.',
  enableWebhook:
    'If that one succeeds, the rest follows, oldest first. If it fails, the endpoint is paused again.',
  countUnsent: 'Those that wait, are held or are under way.',
  rotateWebhookSecret:
    'For 24 hours the previous secret signs too, in `X-Webhook-Signature-Previous`. A second rotation drops the oldest.',
  testWebhook: 'One `otp.approved` for a made-up id, marked as a test in the list of events.',
  listEvents: 'Filters may be combined; all that are given must hold.',
  getEvent: 'As they were sent, with the signatures that the receiver got.',
  replayEvent:
    'Whatever became of it before, to each endpoint that takes its type and is not paused, or to the one that is named.',
  replayFailed: 'Oldest first, at the pace of any other event.',
  getRules: '`revision` is needed to change them.',
  putRules:
    '409 where another revision is in force than the one that was read. Rules are asked from top to bottom; one in `shadow` only tells what it would have done.',
  listRuleRevisions: 'The last hundred are kept.',
  restoreRuleRevision: 'What was in force until then stays among the revisions.',
  backtestRules:
    'Runs the rules over what was recorded and counts what they would have refused, held and rerouted, and how many of those people were approved. Nothing changes.',
  listVerifications:
    'A page looks at 20,000 verifications at most: with a rare filter it may be short or empty and still have a `next_cursor`.',
  searchVerifications: 'Addresses of calls get logged on the way; bodies do not.',
  getVerification: 'All that is known of it, but for its code and its recipient.',
  listRefusals: 'Equal refusals of a flood share a row, whose `count` says how many they were.',
  getRefusalStats: 'Only hours and days in which something was refused are listed.',
  getHeldPeople:
    'Recipients that have been erased count as sends only. By whole hours, where more than 14 days are asked for by whole days of UTC.',
  listErrors:
    'The first place to look when an integration does not work. Nothing that the caller sent is in them.',
  getErrorStats: 'At most 30 days; without times, the last day.',
  searchCompany:
    'The recipient is taken as people write it; `country` says where a number without its calling code is dialled. At most 50 of each kind a page.',
  getStats:
    'Approvals count in the hour in which their verification started, so conversion compares like with like. By hour at most 14 days, else at most 400.',
  getWays:
    'A verification counts when it was started, and its messages with it; by account and by error once for each that one of its messages had.',
  getAttention: 'The critical ones come first. Where all is well there are none.',
  previewSend:
    'As the preview of a key, for people of the dashboard: the recipient is taken as people write it, and the answer has it as a send takes it.',
  listIpSources: '`problem` says why a list cannot be relied on; nobody is refused by such a list.',
  listLocales: 'An app may have texts of its own in these and in others.',
  cancelVerification:
    'To callers it is `failed` from then on. A message that no provider has taken is not sent, and its price comes back.',
  resendVerification:
    'Spends a send attempt, and waits for the cooldown, as a resend by the app’s backend does.',
  eraseVerification: 'As an erasure, for somebody who knows the verification and not the recipient.',
  exceptVerification:
    '`blocked` stands until somebody lifts it. `allowed` lasts a day: the app’s own rules, lists of addresses and the guard against pumping do not stop what is sent; countries, limits, caps and the balance still do.',
  listExceptions: 'With the mask of each recipient, who made the exception, and until when.',
  exceptRecipient: 'A recipient has one exception at a time, and the last one counts.',
  liftException: 'In force at once.',
  startSignIn: 'The code is entered with the `otp_id` of the answer.',
  signInWithCode: 'On a match the answer sets the session’s cookie.',
  signInWithLink: 'Each link works once. The answer sets the session’s cookie.',
  startProof: 'The code goes to the address that one is signed in with.',
  proveWithCode: 'On a match, operations that ask for a fresh sign-in let this session pass.',
  getMe: 'With the role in each company, and where the installation is.',
  updateMe: 'Null takes the name away.',
  listSessions: 'With browser, address and when each was last used.',
  endSession: 'The cookie of that session is worth nothing from then on.',
  endOtherSessions: 'Passkeys stay, and so does the session that asks.',
  listMembers: 'Everybody in the company sees the team.',
  updateMember: 'Roles are `viewer`, `developer` and `owner`; each may do what the one before may.',
  removeMember: 'They lose what they see of this company, and keep their other companies.',
  inviteMember: 'The answer has the link to pass on. With `mail` they are told by mail as well.',
  withdrawInvitation: 'The link is worth nothing from then on.',
  getSignInRules: 'Every member can read them.',
  putSignInRules:
    'Members who have not used a passkey in their session do not see the company until they do.',
  listAudit:
    'Changes and attempts to change, with who, from where and what came of it. Credentials and recipients are left out.',
  listAllAudit: 'The trails of all companies, and of what belongs to none.',
  startPasskeySignIn: 'Good once, for five minutes.',
  signInWithPasskey: 'The answer sets the session’s cookie.',
  startPasskeyProof: 'Good once, for five minutes.',
  proveWithPasskey: 'Operations that ask for a fresh sign-in let this session pass.',
  listPasskeys: 'With when each was last used, and whether it is still accepted.',
  startPasskey: 'Good once, for five minutes.',
  addPasskey: 'It can be used to sign in at once.',
  renamePasskey: 'The name is for you alone.',
  removePasskey: 'Needs a session in which a passkey was used, where there is one.',
  getInstallation: 'Companies with the most sends come first.',
  listAllBlocks: 'Each with its app and its company.',
  listOperators: 'People who act on all companies.',
  demoteOperator: 'They keep their companies and roles.',
  removeOperator: 'Their sessions end at once.',
  listSignInLinks: 'Without the links themselves.',
  revokeSignInLink: 'Whoever has it is not let in any more.',
  getAlerts: 'With what holds now and has been told.',
  putAlerts:
    'Rules that are not named are on, with their default threshold. The first webhook brings a signing secret, which is shown once.',
  testAlerts: 'The answer says for each channel whether it went, and if not, why.',
  rotateAlertSecret:
    'For 24 hours the previous secret signs too, in `X-Webhook-Signature-Previous`. A second rotation drops the oldest. There is none to rotate before the first webhook is set.',
  getOperatorAlerts: 'With what holds now and has been told.',
  putOperatorAlerts:
    'Rules that are not named are on, with their default threshold. The first webhook brings a signing secret, which is shown once.',
  testOperatorAlerts: 'The answer says for each channel whether it went, and if not, why.',
  rotateOperatorAlertSecret:
    'For 24 hours the previous secret signs too, in `X-Webhook-Signature-Previous`. A second rotation drops the oldest. There is none to rotate before the first webhook is set.',
}
