import type { ComponentProps, ReactNode } from 'react'
import { cx } from '#lib/classes.ts'
import { Tooltip } from './tooltip.tsx'

const variants = {
  primary: 'bg-accent text-on-accent border-transparent hover:bg-accent-strong',
  secondary: 'bg-surface text-ink border-line-strong hover:bg-sunken',
  ghost: 'bg-transparent text-muted border-transparent hover:bg-sunken hover:text-ink',
  danger: 'bg-surface text-bad border-line-strong hover:bg-bad-soft hover:border-bad',
  'danger-solid': 'bg-bad text-on-bad border-transparent hover:bg-bad-strong',
} as const

const sizes = {
  sm: 'h-7 px-2.5 text-sm pointer-coarse:h-9',
  md: 'h-8 px-3 text-sm pointer-coarse:h-10',
} as const

interface Look {
  readonly variant?: keyof typeof variants | undefined
  readonly size?: keyof typeof sizes | undefined
}

/** For links that look like buttons. */
export const buttonClass = ({ variant = 'secondary', size = 'md' }: Look = {}): string =>
  cx(
    'inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md border font-medium whitespace-nowrap select-none',
    'transition-colors duration-100 aria-disabled:opacity-55 aria-disabled:cursor-not-allowed disabled:opacity-55 disabled:cursor-not-allowed',
    '[&_svg]:size-4 [&_svg]:shrink-0',
    variants[variant],
    sizes[size],
  )

export interface ButtonProps extends ComponentProps<'button'>, Look {
  /** Whether the call that it makes is under way. */
  readonly isBusy?: boolean | undefined
  /** Why it cannot be pressed. It stays reachable by keyboard, so that the reason can be read. */
  readonly disabledReason?: string | undefined
}

export function Button({
  variant,
  size,
  className,
  isBusy,
  disabledReason,
  disabled,
  onClick,
  children,
  type = 'button',
  ...rest
}: ButtonProps) {
  // Not the `disabled` attribute: a button that is disabled when it is pressed would lose the focus.
  const isOff = isBusy === true || disabled === true || disabledReason !== undefined
  const press: ButtonProps['onClick'] = (event) => {
    // The first click of a double-click has made the call, which may even have been answered.
    const isSecondClick = isBusy !== undefined && event.detail > 1
    if (isOff || isSecondClick) event.preventDefault()
    else onClick?.(event)
  }
  const button = (
    <button
      {...rest}
      type={type}
      aria-disabled={isOff || rest['aria-disabled'] || undefined}
      aria-busy={isBusy || undefined}
      onClick={press}
      className={cx(buttonClass({ variant, size }), className)}
    >
      {isBusy && <Spinner />}
      {children}
    </button>
  )
  return disabledReason === undefined ? button : <Tooltip text={disabledReason}>{button}</Tooltip>
}

export const Spinner = () => (
  <span
    aria-hidden="true"
    className="size-3.5 animate-spin rounded-full border-2 border-current border-r-transparent"
  />
)

export interface IconButtonProps extends Omit<ButtonProps, 'aria-label' | 'children'> {
  readonly label: string
  readonly children: ReactNode
}

/** A button with only an icon: its label is read out, and shown on hover. */
export const IconButton = ({ label, className, children, variant = 'ghost', ...rest }: IconButtonProps) => (
  <Tooltip text={rest.disabledReason ?? label}>
    <Button
      {...rest}
      disabledReason={undefined}
      {...(rest.disabledReason === undefined ? {} : { 'aria-disabled': true, onClick: undefined })}
      variant={variant}
      aria-label={label}
      className={cx('w-7 px-0 pointer-coarse:w-9', className)}
    >
      {children}
    </Button>
  </Tooltip>
)
