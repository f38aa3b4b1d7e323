import { type ReactNode, useRef } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Field } from '#components/ui/field.tsx'
import { Input, TextArea } from '#components/ui/input.tsx'
import { Switch } from '#components/ui/switch.tsx'
import { cx } from '#lib/classes.ts'
import type { Draft } from '../draft.ts'
import type { Lint } from '../lint.ts'
import type { MessageChannel } from '../search.ts'

interface TextFieldsProps {
  readonly channel: MessageChannel
  readonly draft: Draft
  readonly onDraft: (draft: Draft) => void
  readonly problems: Lint['problems']
}

export function TextFields({ channel, draft, onDraft, problems }: TextFieldsProps) {
  const set = (part: Partial<Draft>) => onDraft({ ...draft, ...part })
  const errorAt = (path: string) =>
    problems
      .filter((problem) => problem.path === path && problem.level === 'error')
      .map(({ message }) => message)
      .join(' ') || undefined
  return (
    <>
      {channel === 'email' && (
        <div>
          <Field label="Subject" problem={errorAt('subject')}>
            {(control) => (
              <Input
                {...control}
                dir="auto"
                spellCheck
                value={draft.subject}
                onChange={(event) => set({ subject: event.target.value })}
              />
            )}
          </Field>
          <Warnings problems={problems} path="subject" />
        </div>
      )}
      <TextField
        value={draft.text}
        onChange={(text) => set({ text })}
        problem={errorAt('text') ?? errorAt('locale')}
        warnings={<Warnings problems={problems} path="text" />}
        isLong={channel === 'email'}
      />
      {channel === 'email' && (
        <>
          <Switch
            label="HTML of its own"
            hint="Off, it is made from the text, with the code set large. A paragraph of nothing but {code} becomes the large one."
            isOn={draft.html !== null}
            onChange={(isOn) => set({ html: isOn ? '' : null })}
          />
          {draft.html !== null && (
            <div>
              <Field
                label="HTML"
                problem={errorAt('html')}
                hint="Use inline styles. The preview shows neither style sheets nor images from elsewhere."
              >
                {(control) => (
                  <TextArea
                    {...control}
                    spellCheck={false}
                    className="min-h-48 font-mono"
                    value={draft.html ?? ''}
                    onChange={(event) => set({ html: event.target.value })}
                  />
                )}
              </Field>
              <Warnings problems={problems} path="html" />
            </div>
          )}
        </>
      )}
    </>
  )
}

const Warnings = ({ problems, path }: Pick<TextFieldsProps, 'problems'> & { readonly path: string }) =>
  problems
    .filter((problem) => problem.path === path && problem.level === 'warning')
    .map(({ message }) => (
      <p key={message} role="status" className="mt-1 text-xs font-medium text-warn">
        {message}
      </p>
    ))

interface TextFieldProps {
  readonly value: string
  readonly onChange: (text: string) => void
  readonly problem: string | undefined
  readonly warnings: ReactNode
  readonly isLong: boolean
}

const placeholders = ['{code}', '{app}', '{minutes}'] as const

function TextField({ value, onChange, problem, warnings, isLong }: TextFieldProps) {
  const area = useRef<HTMLTextAreaElement>(null)
  const insert = (placeholder: string) => {
    const { selectionStart: start = value.length, selectionEnd: end = value.length } = area.current ?? {}
    onChange(value.slice(0, start) + placeholder + value.slice(end))
    area.current?.focus()
  }
  return (
    <div className="flex flex-col gap-1.5">
      <Field label="Text" problem={problem}>
        {(control) => (
          <TextArea
            {...control}
            ref={area}
            dir="auto"
            className={cx('leading-relaxed', isLong ? 'min-h-48' : 'min-h-24')}
            value={value}
            onChange={(event) => onChange(event.target.value)}
          />
        )}
      </Field>
      {warnings}
      <div className="flex flex-wrap items-center gap-1.5 text-xs text-muted">
        Insert
        {placeholders.map((placeholder) => (
          <Button
            key={placeholder}
            size="sm"
            aria-label={`Insert ${placeholder}`}
            className="font-mono !text-xs"
            onClick={() => insert(placeholder)}
          >
            {placeholder}
          </Button>
        ))}
      </div>
    </div>
  )
}
