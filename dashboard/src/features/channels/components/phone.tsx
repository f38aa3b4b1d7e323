import ChevronLeft from 'lucide-react/icons/chevron-left'
import type { ReactNode } from 'react'
import { cx } from '#lib/classes.ts'
import { languageName } from '#lib/format.ts'
import type { Lint } from '../api/lint.ts'
import type { MessageChannel } from '../search.ts'

export interface PhoneProps {
  readonly channel: MessageChannel
  readonly rendered: Lint['rendered']
  readonly sender: string
  readonly locale: string
}

/** The message as the person sees it on a phone. */
export const Phone = ({ channel, rendered, sender, locale }: PhoneProps) => (
  <Frame caption={`As it arrives in ${languageName(locale)}, with a made-up code`}>
    {channel === 'email' ? (
      <Mail rendered={rendered} sender={sender} locale={locale} />
    ) : (
      <Conversation sender={sender} isTinted={channel === 'whatsapp'}>
        <p dir="auto" lang={locale} className="whitespace-pre-wrap [overflow-wrap:anywhere]">
          {rendered.text}
        </p>
      </Conversation>
    )}
  </Frame>
)

/** WhatsApp's authentication template, in Meta's English wording. Meta words the other languages too. */
export const TemplatePhone = ({ sender }: Pick<PhoneProps, 'sender'>) => (
  <Frame caption="Meta’s template in English. In other languages Meta uses its own wording.">
    <Conversation sender={sender} isTinted>
      <div className="flex flex-col gap-2" lang="en">
        <p>
          <strong>123456</strong> is your verification code. For your security, do not share this code.
        </p>
        <p className="text-xs text-muted">This code expires in 10 minutes.</p>
        <p className="-mx-3 border-t px-3 pt-2 text-center font-medium text-accent">Copy code</p>
      </div>
    </Conversation>
  </Frame>
)

interface FrameProps {
  readonly caption: string
  readonly children: ReactNode
}

const Frame = ({ caption, children }: FrameProps) => (
  <figure className="mx-auto w-full max-w-80">
    <div className="overflow-hidden rounded-[2.2rem] border-[7px] border-line-strong bg-page">
      <div aria-hidden="true" className="flex items-center justify-between px-6 pt-2 text-xs font-medium">
        <span className="figures">9:41</span>
        <span className="h-4 w-16 rounded-full bg-line-strong" />
        <span className="h-2.5 w-5 rounded-[3px] border border-faint bg-faint" />
      </div>
      {children}
    </div>
    <figcaption className="mt-2 text-center text-xs text-muted">{caption}</figcaption>
  </figure>
)

interface ConversationProps {
  readonly sender: string
  readonly isTinted: boolean
  readonly children: ReactNode
}

const Conversation = ({ sender, isTinted, children }: ConversationProps) => (
  <div className="flex h-100 flex-col">
    <div className="flex items-center gap-2 border-b px-3 py-2.5">
      <ChevronLeft aria-hidden="true" className="size-4 text-faint" />
      <span
        aria-hidden="true"
        className="grid size-7 shrink-0 place-items-center rounded-full bg-sunken text-xs font-medium"
      >
        {sender.slice(0, 1).toUpperCase()}
      </span>
      <span className="truncate text-sm font-medium">{sender}</span>
    </div>
    <div
      className={cx(
        'flex flex-1 flex-col items-start gap-2 overflow-y-auto p-3',
        isTinted ? 'bg-accent-soft' : 'bg-surface',
      )}
    >
      <span className="self-center text-xs text-muted">Today</span>
      <div
        className={cx(
          'max-w-[86%] rounded-2xl rounded-tl-sm px-3 py-2 text-sm',
          isTinted ? 'bg-surface' : 'bg-sunken',
        )}
      >
        {children}
      </div>
    </div>
  </div>
)

/** The page's content policy applies in the frame too, and refuses style sheets; the browser would report each. */
const withoutStyleSheets = (html: string) => html.replace(/<style\b[\s\S]*?<\/style>/gi, '')

const Mail = ({ rendered, sender, locale }: Omit<PhoneProps, 'channel'>) => (
  <div className="flex h-112 flex-col bg-surface">
    <div className="flex flex-col gap-0.5 border-b px-4 pt-3 pb-3">
      <p dir="auto" lang={locale} className="font-semibold [overflow-wrap:anywhere]">
        {rendered.subject}
      </p>
      <p className="truncate text-xs text-muted">{sender} · to you</p>
    </div>
    <iframe
      title="The email as people see it"
      sandbox=""
      srcDoc={withoutStyleSheets(rendered.html ?? '')}
      className="w-full flex-1 bg-[#fff] [color-scheme:light]"
    />
  </div>
)
