import { Form } from '#components/form/form.tsx'
import { Button } from '#components/ui/button.tsx'
import { Confirm } from '#components/ui/confirm.tsx'
import { useMayChangeApp } from '#lib/app.ts'
import type { Form as FormState } from '#lib/form/use-form.ts'
import { useSettingsChange } from '#lib/use-settings-change.ts'
import type { Lint } from '../api/lint.ts'
import { type Draft, isSameDraft, messageChange, type TextValues } from '../lib/draft.ts'
import type { MessageChannel } from '../search.ts'
import { TextFields } from './text-fields.tsx'

interface OwnTextProps {
  readonly appId: string
  readonly channel: MessageChannel
  readonly locale: string
  readonly form: FormState<TextValues>
  /** Names the text, for example `The English text for SMS`. */
  readonly what: string
  readonly saved: Draft | null
  readonly shown: Draft
  readonly onShow: (draft: Draft | null) => void
  readonly lint: Lint | undefined
}

export function OwnText(props: OwnTextProps) {
  const { appId, channel, locale, form, what, shown, lint } = props
  const permission = useMayChangeApp(appId)
  return (
    <Form form={form} label={what} actions={<TextActions {...props} />}>
      <fieldset disabled={!permission.may} className="flex min-w-0 flex-col gap-4">
        <TextFields {...{ form, channel, locale }} draft={shown} problems={lint?.problems ?? []} />
      </fieldset>
    </Form>
  )
}

function TextActions({ appId, form, saved, shown, onShow, lint, ...rest }: OwnTextProps) {
  const permission = useMayChangeApp(appId)
  const isChanged = !isSameDraft(shown, saved)
  const hasErrors = lint?.problems.some(({ level }) => level === 'error') ?? false
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button
        type="submit"
        variant="primary"
        isBusy={form.isSending}
        disabled={permission.may && !isChanged}
        disabledReason={
          permission.reason ??
          (hasErrors && isChanged ? 'Please correct the marked problems first.' : undefined)
        }
      >
        Save
      </Button>
      {isChanged && (
        <Button variant="ghost" onClick={() => onShow(saved)}>
          Discard
        </Button>
      )}
      {isChanged && <span className="text-xs text-muted">Not saved yet</span>}
      {saved && permission.may && <UseBuiltIn appId={appId} {...rest} onDone={() => onShow(null)} />}
    </div>
  )
}

interface UseBuiltInProps extends Pick<OwnTextProps, 'appId' | 'channel' | 'locale' | 'what'> {
  readonly onDone: () => void
}

function UseBuiltIn({ appId, channel, locale, what, onDone }: UseBuiltInProps) {
  const remove = useSettingsChange(appId, {
    says: `${what} has been reset to the built-in one.`,
    problems: 'form',
    refreshes: ['lintMessage'],
  })
  return (
    <span className="ml-auto">
      <Confirm
        trigger={
          <Button variant="danger" size="sm">
            Use the built-in text
          </Button>
        }
        title="Use the built-in text again?"
        description={`${what} that you wrote will be deleted.`}
        action="Delete the text"
        onConfirm={async () => {
          await remove(messageChange(channel, locale, null))
          onDone()
        }}
      />
    </span>
  )
}
