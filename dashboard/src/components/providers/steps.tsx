import CircleCheck from 'lucide-react/icons/circle-check'
import CircleX from 'lucide-react/icons/circle-x'
import type { AnswerOf } from '#lib/client.ts'
import { formatSeconds } from '#lib/format.ts'

export type Step = AnswerOf<'testProvider'>['steps'][number]

const names: Readonly<Record<Step['name'], string>> = {
  settings: 'Settings',
  connect: 'Connect',
  send: 'Send',
}

/** The steps of a test of an account, in order. */
export const Steps = ({ steps }: { readonly steps: readonly Step[] }) => (
  <ol className="flex flex-col gap-2 text-sm">
    {steps.map(({ name, ok, detail, ms }) => (
      <li key={name} className="flex gap-2">
        {ok ? (
          <CircleCheck className="mt-0.5 size-4 shrink-0 text-accent" aria-label="Done" />
        ) : (
          <CircleX className="mt-0.5 size-4 shrink-0 text-bad" aria-label="Failed" />
        )}
        <div className="min-w-0">
          <p className="font-medium">
            {names[name]} <span className="font-normal text-muted">{formatSeconds(ms / 1_000)}</span>
          </p>
          <p className="break-words text-muted">{detail}</p>
        </div>
      </li>
    ))}
  </ol>
)
