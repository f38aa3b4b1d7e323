import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Confirm } from '#components/ui/confirm.tsx'
import { FormProblem } from '#components/ui/problem.tsx'
import { useMayChangeApp } from '#lib/app.ts'
import { channelLabels, languageName } from '#lib/format.ts'
import { useSettingsChange } from '#lib/use-settings-change.ts'
import { type Draft, messageChange } from '../draft.ts'
import type { Lint } from '../lint.ts'
import type { MessageChannel } from '../search.ts'
import { TextFields } from './text-fields.tsx'

interface OwnTextProps {
  readonly appId: string
  readonly channel: MessageChannel
  readonly locale: string
  /** What has been written and not saved. */
  readonly draft: Draft | null
  readonly onDraft: (draft: Draft | null) => void
  readonly saved: Draft | null
  readonly shown: Draft
  readonly lint: Lint | undefined
}

export function OwnText({ appId, channel, locale, draft, onDraft, saved, shown, lint }: OwnTextProps) {
  const permission = useMayChangeApp(appId)
  const [error, setError] = useState<unknown>(null)
  const [isSending, setSending] = useState(false)
  const what = `The ${languageName(locale)} text for ${channelLabels[channel]}`
  const options = { problems: 'form', refreshes: ['lintMessage'] } as const
  const save = useSettingsChange(appId, { ...options, says: `${what} is saved.` })
  const remove = useSettingsChange(appId, { ...options, says: `${what} is the shipped one again.` })
  const isChanged = draft !== null && JSON.stringify(draft) !== JSON.stringify(saved)
  const hasErrors = lint?.problems.some(({ level }) => level === 'error') ?? false

  const submit = async () => {
    setSending(true)
    setError(null)
    try {
      await save(messageChange(channel, locale, shown))
      onDraft(null)
    } catch (refusal) {
      setError(refusal)
    } finally {
      setSending(false)
    }
  }

  return (
    <form
      aria-label={what}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
      className="flex flex-col gap-4"
    >
      <fieldset disabled={!permission.may} className="flex min-w-0 flex-col gap-4">
        <TextFields channel={channel} draft={shown} onDraft={onDraft} problems={lint?.problems ?? []} />
      </fieldset>
      <FormProblem error={error} />
      <div className="flex flex-wrap items-center gap-2">
        <Button
          type="submit"
          variant="primary"
          isBusy={isSending}
          disabled={permission.may && !isChanged}
          disabledReason={
            permission.reason ?? (hasErrors && isChanged ? 'Put right first what is marked.' : undefined)
          }
        >
          Save
        </Button>
        {isChanged && (
          <Button variant="ghost" onClick={() => onDraft(null)}>
            Discard
          </Button>
        )}
        {isChanged && <span className="text-xs text-muted">Not saved yet</span>}
        {saved && permission.may && (
          <span className="ml-auto">
            <Confirm
              trigger={
                <Button variant="danger" size="sm">
                  Use the shipped text
                </Button>
              }
              title="Use the shipped text again?"
              description={`${what} that you wrote is deleted.`}
              action="Delete the text"
              onConfirm={async () => {
                await remove(messageChange(channel, locale, null))
                onDraft(null)
              }}
            />
          </span>
        )}
      </div>
    </form>
  )
}
