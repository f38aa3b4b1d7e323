import Check from 'lucide-react/icons/check'
import Copy from 'lucide-react/icons/copy'
import { cx } from '#lib/classes.ts'
import { useCopy } from '#lib/use-copy.ts'
import { Button } from './button.tsx'

const CopyIcon = ({ isCopied }: { readonly isCopied: boolean }) =>
  isCopied ? <Check className="text-accent" aria-hidden="true" /> : <Copy aria-hidden="true" />

interface CopyTextProps {
  readonly text: string
  readonly label: string
  readonly className?: string
}

/** An id or another short text: pressing it copies it. */
export function CopyText({ text, label, className }: CopyTextProps) {
  const [isCopied, copy] = useCopy()
  return (
    <button
      type="button"
      onClick={() => copy(text)}
      title={label}
      aria-label={`${label}: ${text}`}
      className={cx(
        'inline-flex max-w-full min-w-0 items-center gap-1 rounded-sm px-1 font-mono text-xs text-muted hover:bg-sunken hover:text-ink [&_svg]:size-3 [&_svg]:shrink-0 print:[&_svg]:hidden',
        className,
      )}
    >
      <span className="truncate">{text}</span>
      <CopyIcon isCopied={isCopied} />
      <span role="status" className="sr-only">
        {isCopied ? 'Copied' : ''}
      </span>
    </button>
  )
}

interface CopyButtonProps {
  readonly text: string
  readonly size?: 'sm' | 'md'
  readonly variant?: 'secondary' | 'ghost' | 'primary'
}

function CopyButton({ text, size = 'sm', variant = 'secondary' }: CopyButtonProps) {
  const [isCopied, copy] = useCopy()
  return (
    <Button size={size} variant={variant} onClick={() => copy(text)} aria-live="polite">
      <CopyIcon isCopied={isCopied} />
      {isCopied ? 'Copied' : 'Copy'}
    </Button>
  )
}

interface CopyFieldProps {
  readonly label: string
  readonly text: string
}

/** A value that people copy to somewhere else. */
export const CopyField = ({ label, text }: CopyFieldProps) => (
  <div className="flex min-w-0 flex-col gap-1">
    <span className="text-sm font-medium">{label}</span>
    <span className="flex items-center gap-2">
      <code className="min-w-0 flex-1 rounded-md border bg-sunken px-2.5 py-1.5 font-mono text-xs break-all">
        {text}
      </code>
      <CopyButton text={text} size="md" />
    </span>
  </div>
)

interface SecretOnceProps {
  readonly label: string
  readonly secret: string
}

/** A secret, shown this once. */
export const SecretOnce = ({ label, secret }: SecretOnceProps) => (
  <div className="flex flex-col gap-2 rounded-md border border-accent bg-accent-soft px-3 py-3">
    <span className="text-sm font-medium">{label}</span>
    <span className="flex flex-wrap items-center gap-2">
      <code className="min-w-0 flex-1 basis-56 rounded-md border border-line bg-surface px-2.5 py-1.5 font-mono text-xs break-all">
        {secret}
      </code>
      <CopyButton text={secret} size="md" variant="primary" />
    </span>
    <p className="text-xs text-muted">Copy it now and keep it safe. It will not be shown again.</p>
  </div>
)

interface CodeBlockProps {
  readonly label: string
  readonly code: string
}

/** Something to paste into a terminal or a program. */
export const CodeBlock = ({ label, code }: CodeBlockProps) => (
  <figure className="overflow-hidden rounded-md border bg-sunken">
    <figcaption className="flex items-center justify-between gap-2 border-b py-1 pr-1 pl-3 text-xs text-muted">
      {label}
      <CopyButton text={code} variant="ghost" />
    </figcaption>
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      className="overflow-x-auto px-3 py-2.5 font-mono text-xs leading-relaxed focus-visible:-outline-offset-2"
    >
      {code}
    </pre>
  </figure>
)
