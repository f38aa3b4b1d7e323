import type { ReactNode } from 'react'

export const Kbd = ({ children }: { readonly children: ReactNode }) => (
  <kbd className="inline-flex min-w-5 justify-center rounded-sm border border-line-strong bg-page px-1 font-sans text-xs leading-4.5 text-muted">
    {children}
  </kbd>
)
