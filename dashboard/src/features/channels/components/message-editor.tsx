import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Confirm } from '#components/ui/confirm.tsx'
import { Notice } from '#components/ui/notice.tsx'
import { FormProblem, Loaded } from '#components/ui/problem.tsx'
import { Skeleton } from '#components/ui/skeleton.tsx'
import { useApp, useMayChangeApp } from '#lib/app.ts'
import type { AnswerOf } from '#lib/client.ts'
import { channelLabels, languageName } from '#lib/format.ts'
import { queryOf } from '#lib/queries.ts'
import { useDebounced } from '#lib/use-debounced.ts'
import { useSettingsChange } from '#lib/use-settings-change.ts'
import { type Draft, draftFrom, messageChange, savedDraft, templateOf } from '../draft.ts'
import type { MessageChannel } from '../search.ts'
import { LintFigures } from './lint-figures.tsx'
import { Phone } from './phone.tsx'
import { TextFields } from './text-fields.tsx'

export type Lint = AnswerOf<'lintMessage'>

interface MessageEditorProps {
  readonly appId: string
  readonly channel: MessageChannel
  readonly locale: string
  readonly isShipped: boolean
  /** What has been written and not saved. */
  readonly draft: Draft | null
  readonly onDraft: (draft: Draft | null) => void
}

const restMs = 300

function useLint(appId: string, channel: MessageChannel, locale: string, draft: Draft | null) {
  const rested = useDebounced(draft, restMs)
  return useQuery({
    ...queryOf('lintMessage', {
      params: { app_id: appId },
      body: { channel, locale, ...(rested ? { template: templateOf(channel, rested) } : {}) },
    }),
    placeholderData: (before) => before,
  })
}

export function MessageEditor(props: MessageEditorProps) {
  const { appId, channel, locale, draft, onDraft } = props
  const app = useApp(appId)
  const permission = useMayChangeApp(appId)
  const saved = savedDraft(app.messages, channel, locale)
  const shown = draft ?? saved
  const lint = useLint(appId, channel, locale, shown)
  return (
    <div className="grid gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <div className="flex min-w-0 flex-col gap-4">
        <Purpose channel={channel} mode={app.channels.whatsapp.mode} />
        {shown ? (
          <OwnText {...props} saved={saved} shown={shown} lint={lint.data} />
        ) : (
          <div className="flex flex-col items-start gap-3">
            <p className="text-sm text-muted">
              {props.isShipped
                ? `This app uses the ${languageName(locale)} text that is shipped.`
                : `There is no text in ${languageName(locale)}: the nearest language is used.`}
            </p>
            <Button
              disabledReason={permission.reason}
              disabled={!lint.data}
              onClick={() => lint.data && onDraft(draftFrom(lint.data.rendered, app))}
            >
              Write your own
            </Button>
          </div>
        )}
        {lint.data && <LintFigures lint={lint.data} channel={channel} />}
      </div>
      <Loaded query={lint} loading={<Skeleton className="mx-auto h-96 w-72" />}>
        {({ rendered }) => <Phone channel={channel} rendered={rendered} sender={app.name} locale={locale} />}
      </Loaded>
    </div>
  )
}

interface OwnTextProps extends MessageEditorProps {
  readonly saved: Draft | null
  readonly shown: Draft
  readonly lint: Lint | undefined
}

function OwnText({ appId, channel, locale, draft, onDraft, saved, shown, lint }: OwnTextProps) {
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

interface PurposeProps {
  readonly channel: MessageChannel
  readonly mode: 'template' | 'link_code' | 'link_inbound'
}

const Purpose = ({ channel, mode }: PurposeProps) =>
  channel === 'whatsapp' && mode !== 'link_code' ? (
    <Notice
      tone="plain"
      title={
        mode === 'template'
          ? 'This app sends Meta’s template, whose words are kept at Meta.'
          : 'In this app’s mode nothing is answered.'
      }
    >
      The text here is the answer in the mode “Link, then a code”.
    </Notice>
  ) : null
