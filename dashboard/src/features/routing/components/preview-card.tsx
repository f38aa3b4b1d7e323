import type { AppAnswer } from '@countersign/contract'
import { useState } from 'react'
import { Card } from '#components/ui/card.tsx'
import { CountryOptions } from '#components/ui/country-select.tsx'
import { Field } from '#components/ui/field.tsx'
import { Input, Select } from '#components/ui/input.tsx'
import { Answer, Problem } from '#components/ui/problem.tsx'
import { problemAt } from '#lib/api-error.ts'
import { useDebounced } from '#lib/use-debounced.ts'
import { usePreview } from '../api/use-preview.ts'
import { PreviewResult } from './preview-result.tsx'

const quietMs = 350
/** A shorter text is neither a number nor an address yet. */
const shortestRecipient = 6

export function PreviewCard({ app }: { readonly app: AppAnswer }) {
  const [recipient, setRecipient] = useState('')
  const [clientIp, setClientIp] = useState('')
  const [country, setCountry] = useState<string | undefined>()
  const typed = recipient.trim()
  const isEnough = typed.length >= shortestRecipient
  const asked = useDebounced(isEnough ? typed : '', quietMs)
  const askedIp = useDebounced(clientIp.trim(), quietMs)
  const { data, error, refetch, isPlaceholderData } = usePreview(app, { recipient: asked, country }, askedIp)
  const isCurrent = !isPlaceholderData && asked === typed && askedIp === clientIp.trim()
  const ipProblem = isEnough ? problemAt(error, 'client_ip') : undefined
  return (
    <Card
      title="Preview"
      description="What would happen to this recipient now, with the saved settings. Nothing is sent, counted or charged."
    >
      <div className="flex flex-col gap-3">
        <Field label="Number or email address">
          {(control) => (
            <Input
              {...control}
              inputMode="email"
              placeholder="+44 7400 123456"
              value={recipient}
              onChange={(event) => setRecipient(event.target.value)}
            />
          )}
        </Field>
        <Field label="Country, if the number has no country code" isOptional>
          {(control) => (
            <Select
              {...control}
              value={country ?? ''}
              onChange={({ target }) => setCountry(target.value || undefined)}
            >
              <CountryOptions none="None" />
            </Select>
          )}
        </Field>
        <Field label="Client IP" isOptional problem={ipProblem && 'This is not an IPv4 or IPv6 address.'}>
          {(control) => (
            <Input
              {...control}
              placeholder="203.0.113.9"
              value={clientIp}
              onChange={(event) => setClientIp(event.target.value)}
            />
          )}
        </Field>
        {!isEnough || asked === '' ? (
          <p className="border-t pt-3 text-sm text-muted">
            Enter a whole phone number as people write it, or an email address.
          </p>
        ) : error ? (
          !ipProblem && <Problem error={error} onRetry={() => void refetch()} />
        ) : (
          data && (
            <Answer isCurrent={isCurrent}>
              <PreviewResult preview={data} channels={app.channels} />
            </Answer>
          )
        )}
      </div>
    </Card>
  )
}
