import { Button } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/notice.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { Skeleton } from '#components/ui/skeleton.tsx'
import { useApp, useMayChangeApp } from '#lib/app.ts'
import type { Form } from '#lib/form/use-form.ts'
import { languageName } from '#lib/format.ts'
import { useLint } from '../api/lint.ts'
import { type Draft, draftFrom, savedDraft, type TextValues, withDraft } from '../lib/draft.ts'
import type { MessageChannel } from '../search.ts'
import { LintFigures } from './lint-figures.tsx'
import { OwnText } from './own-text.tsx'
import { Preview } from './preview.tsx'

interface MessageEditorProps {
  readonly appId: string
  readonly channel: MessageChannel
  readonly locale: string
  readonly isShipped: boolean
  readonly form: Form<TextValues>
  /** Names the text, for example `The English text for SMS`. */
  readonly what: string
}

export function MessageEditor(props: MessageEditorProps) {
  const { appId, channel, locale, form } = props
  const app = useApp(appId)
  const permission = useMayChangeApp(appId)
  const saved = savedDraft(app.messages, channel, locale)
  const shown = form.values.messages[channel][locale] ?? null
  const show = (draft: Draft | null) => form.set('messages', withDraft(form.values, channel, locale, draft))
  const lint = useLint(appId, channel, locale, shown)
  return (
    <div className="grid gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <div className="flex min-w-0 flex-col gap-4">
        <Purpose channel={channel} mode={app.channels.whatsapp.mode} />
        {shown ? (
          <OwnText {...props} saved={saved} shown={shown} onShow={show} lint={lint.data} />
        ) : (
          <div className="flex flex-col items-start gap-3">
            <p className="text-sm text-muted">
              {props.isShipped
                ? `This app uses the built-in ${languageName(locale)} text.`
                : `There is no text in ${languageName(locale)}, so the closest language is used.`}
            </p>
            <Button
              disabledReason={permission.reason}
              disabled={!lint.data}
              onClick={() => lint.data && show(draftFrom(lint.data.rendered, app))}
            >
              Write your own
            </Button>
          </div>
        )}
        {lint.data && <LintFigures lint={lint.data} channel={channel} />}
      </div>
      <Loaded query={lint} loading={<Skeleton className="mx-auto h-96 w-72" />} keepsHeight>
        {({ rendered }) => (
          <Preview
            channel={channel}
            rendered={rendered}
            sender={app.name}
            locale={locale}
            mode={app.channels.whatsapp.mode}
            isWriting={shown !== null}
          />
        )}
      </Loaded>
    </div>
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
          ? 'This app sends Meta’s template, whose text is kept at Meta.'
          : 'In this app’s WhatsApp mode, no answer is sent.'
      }
    >
      This text is the answer in the mode “Link, then a code”.
    </Notice>
  ) : null
