import { type ReactNode, useId } from 'react'
import { cx } from '#lib/classes.ts'

export interface FieldControl {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': true | undefined
}

interface FieldProps {
  readonly label: ReactNode
  readonly hint?: ReactNode
  readonly problem?: string | undefined
  readonly isOptional?: boolean | undefined
  /** The label is read out but not drawn. */
  readonly isLabelHidden?: boolean | undefined
  readonly className?: string | undefined
  /** Draws the control, given the attributes that tie it to its label, hint and problem. */
  readonly children: (control: FieldControl) => ReactNode
}

export function Field(props: FieldProps) {
  const { label, hint, problem, isOptional = false, isLabelHidden = false, className, children } = props
  const id = useId()
  const described = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ')
  return (
    <div className={cx('flex flex-col gap-1', className)}>
      <label htmlFor={id} className={isLabelHidden ? 'sr-only' : 'text-sm font-medium'}>
        {label}
        {isOptional && <span className="font-normal text-faint"> · optional</span>}
      </label>
      {children({
        id,
        'aria-describedby': described || undefined,
        'aria-invalid': problem ? true : undefined,
      })}
      {hint && (
        <p id={`${id}-hint`} className="text-xs text-muted">
          {hint}
        </p>
      )}
      <FieldProblem id={`${id}-problem`} text={problem} />
    </div>
  )
}

interface FieldProblemProps {
  readonly id?: string
  readonly text: string | undefined
}

export const FieldProblem = ({ id, text }: FieldProblemProps) =>
  text ? (
    <p id={id} role="alert" className="text-xs font-medium text-bad">
      {text}
    </p>
  ) : null

interface GroupProps {
  readonly label: string
  readonly hint?: ReactNode
  readonly children: ReactNode
}

/** Several controls under one label. */
export const FieldGroup = ({ label, hint, children }: GroupProps) => (
  <fieldset className="flex flex-col gap-2">
    <legend className="mb-1 text-sm font-medium">{label}</legend>
    {hint && <p className="-mt-1 text-xs text-muted">{hint}</p>}
    {children}
  </fieldset>
)
