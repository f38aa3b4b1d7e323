import type { ProviderAnswer } from '@countersign/contract'
import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Field } from '#components/ui/field.tsx'
import { Input } from '#components/ui/input.tsx'
import type { AnswerOf } from '#lib/client.ts'
import { useChange } from '#lib/use-change.ts'

const example = { to: '+447400123456', text: '123456 is your code.' }

/** Shows the request that the account, as it is saved, would send. Nothing is sent. */
export function DryRun({ account }: { readonly account: ProviderAnswer }) {
  const [to, setTo] = useState(example.to)
  const [text, setText] = useState(example.text)
  const ask = useChange('dryRunProvider')
  return (
    <details>
      <summary className="text-sm font-medium text-muted hover:text-ink">See the request</summary>
      <div className="mt-3 flex flex-col gap-3">
        <div className="grid items-start gap-x-4 gap-y-3 sm:grid-cols-2">
          <Field label="To">
            {(control) => <Input {...control} value={to} onChange={({ target }) => setTo(target.value)} />}
          </Field>
          <Field label="Text">
            {(control) => (
              <Input {...control} value={text} onChange={({ target }) => setText(target.value)} />
            )}
          </Field>
        </div>
        <div>
          <Button
            disabled={ask.isPending}
            onClick={() => ask.mutate({ params: { provider_id: account.provider_id }, body: { to, text } })}
          >
            Show the request
          </Button>
        </div>
        {ask.data && (
          <section aria-label="The request">
            <pre className="overflow-x-auto rounded-md border bg-sunken p-3 font-mono text-xs whitespace-pre-wrap break-all">
              {wireOf(ask.data)}
            </pre>
          </section>
        )}
      </div>
    </details>
  )
}

const wireOf = ({ method, url, headers, body }: AnswerOf<'dryRunProvider'>) =>
  [
    `${method} ${url}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === null ? [] : ['', body]),
  ].join('\n')
