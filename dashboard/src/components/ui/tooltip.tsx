import { Content, Portal, Provider, Root, Trigger } from 'radix-ui/tooltip'
import type { ReactNode } from 'react'

export const TooltipProvider = ({ children }: { readonly children: ReactNode }) => (
  <Provider delayDuration={350} skipDelayDuration={200}>
    {children}
  </Provider>
)

interface TooltipProps {
  readonly text: string
  readonly children: ReactNode
}

/** Explains the element inside it, which must be a single one that can be focused. */
export const Tooltip = ({ text, children }: TooltipProps) => (
  <Root>
    <Trigger asChild>{children}</Trigger>
    <Portal>
      <Content
        sideOffset={6}
        collisionPadding={8}
        className="z-50 max-w-xs animate-appear rounded-md bg-ink px-2 py-1 text-xs text-page shadow-pop"
      >
        {text}
      </Content>
    </Portal>
  </Root>
)
