import { Content, Item, Label, Portal, Root, Separator, Trigger } from 'radix-ui/dropdown-menu'
import type { ComponentProps, ReactNode } from 'react'
import { cx } from '#lib/classes.ts'

interface MenuProps {
  readonly trigger: ReactNode
  readonly children: ReactNode
  readonly align?: 'start' | 'end'
  readonly side?: 'top' | 'bottom'
  readonly className?: string
}

export const Menu = ({ trigger, children, align = 'start', side = 'bottom', className }: MenuProps) => (
  <Root modal={false}>
    <Trigger asChild>{trigger}</Trigger>
    <Portal>
      <Content
        align={align}
        side={side}
        sideOffset={6}
        collisionPadding={8}
        className={cx(
          'z-50 max-h-(--radix-dropdown-menu-content-available-height) min-w-48 animate-appear overflow-y-auto rounded-lg border bg-surface p-1 shadow-pop',
          className,
        )}
      >
        {children}
      </Content>
    </Portal>
  </Root>
)

export const MenuItem = ({ className, ...rest }: ComponentProps<typeof Item>) => (
  <Item
    {...rest}
    className={cx(
      'flex cursor-pointer items-center gap-2 rounded-md px-2 py-1.5 text-sm outline-none select-none data-highlighted:bg-sunken data-disabled:opacity-50 pointer-coarse:py-2.5 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-faint',
      className,
    )}
  />
)

export const MenuLabel = ({ children }: { readonly children: ReactNode }) => (
  <Label className="px-2 pt-1.5 pb-1 text-xs text-faint">{children}</Label>
)

export const MenuSeparator = () => <Separator className="-mx-1 my-1 h-px bg-line" />
