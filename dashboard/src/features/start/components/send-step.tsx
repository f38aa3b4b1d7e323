import type { VerificationAnswer } from '@countersign/contract'
import { isUnreadable, unreadable, type Wanted } from '#components/recipient/wanted.ts'
import { Button } from '#components/ui/button.tsx'
import { CopyText } from '#components/ui/copy.tsx'
import { CountrySelect } from '#components/ui/country-select.tsx'
import { Field } from '#components/ui/field.tsx'
import { Input } from '#components/ui/input.tsx'
import { FormProblem } from '#components/ui/problem.tsx'
import { Channel } from '#components/ui/values.tsx'
import { useMe } from '#lib/session.ts'
import type { Carrier } from '../api/read-recipient.ts'
import { useSend } from '../api/try.ts'
import { SnippetTabs } from './snippet-tabs.tsx'

interface SendStepProps {
  readonly appId: string
  readonly secret: string | null
  readonly wanted: Wanted
  readonly onWanted: (wanted: Wanted) => void
  readonly carrier: Carrier
  /** For the code examples, in the form that a send takes. */
  readonly recipient: string
  readonly sent: VerificationAnswer | null
  readonly onSent: (sent: VerificationAnswer) => void
  readonly language: string
  readonly onLanguage: (language: string) => void
}

const hints: Readonly<Record<Carrier, string>> = {
  simulator: 'The simulator plays its phone, so nobody gets a real message.',
  real: 'A number or address of yours: a real message is sent.',
  unknown: 'A number or address of yours: a real message may be sent.',
}

const needsKey = 'To send from this page, create or paste a key in step 1.'

export function SendStep(props: SendStepProps) {
  const { appId, secret, wanted, onWanted, carrier, recipient, sent, onSent, language, onLanguage } = props
  const { base_url: baseUrl } = useMe().installation
  const send = useSend(appId, onSent)
  const cannotRead = isUnreadable(send.error)
  return (
    <div className="flex flex-col gap-4">
      <form
        className="flex flex-wrap items-start gap-x-2 gap-y-3"
        onSubmit={(event) => {
          event.preventDefault()
          if (secret) send.mutate({ key: secret, wanted })
        }}
      >
        <Field
          label="Recipient"
          hint={hints[carrier]}
          problem={cannotRead ? unreadable : undefined}
          className="w-full max-w-80"
        >
          {(control) => (
            <Input
              {...control}
              value={wanted.recipient}
              // What it holds from now on is the person's: an example that came now would mix with what they type.
              onFocus={() => onWanted(wanted)}
              onChange={({ target }) => onWanted({ ...wanted, recipient: target.value })}
            />
          )}
        </Field>
        <CountrySelect
          value={wanted.country}
          none="Country of the number"
          label="Country, if the number has no country code"
          onChange={(country) => onWanted({ ...wanted, country })}
          className="w-60 sm:mt-[23px]"
        />
        <Button
          type="submit"
          variant="primary"
          className="sm:mt-[23px]"
          isBusy={send.isPending}
          disabledReason={secret ? undefined : needsKey}
        >
          Send a code
        </Button>
        {!secret && <p className="w-full text-xs text-muted">{needsKey}</p>}
      </form>
      <FormProblem error={cannotRead ? null : send.error} />
      {sent && (
        <p role="status" className="flex flex-wrap items-center gap-x-2 text-sm">
          {sent.action_url === null ? 'Sent to' : 'Waiting for a message from'} {sent.masked_recipient} by{' '}
          <Channel name={sent.channel} />. Its id is
          <CopyText text={sent.otp_id} label="Copy the id" />
        </p>
      )}
      <SnippetTabs
        label="Language for sending"
        language={language}
        onLanguage={onLanguage}
        code={(snippet) => snippet.send({ baseUrl, secret }, recipient)}
      />
      <p className="text-sm text-muted">
        You do not choose a channel: routing picks it from the recipient and the app’s settings. An email
        address works as well as a phone number.
      </p>
    </div>
  )
}
