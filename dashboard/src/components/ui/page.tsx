import type { ReactNode } from 'react'
import { useTitle } from '#lib/title.ts'

interface PageProps {
  readonly title: string
  readonly description?: ReactNode
  readonly actions?: ReactNode
  /** A link to the page above this one, shown over the title. */
  readonly back?: ReactNode
  readonly children: ReactNode
}

/** The head and the body of a page, with the same width on all pages. */
export function Page({ title, description, actions, back, children }: PageProps) {
  useTitle(title)
  return (
    <div className="container-page flex flex-col gap-5 pt-5 pb-16 sm:pt-7">
      <header className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          {back && <div className="mb-1 text-sm text-muted">{back}</div>}
          <h1 className="text-xl font-semibold break-words">{title}</h1>
          {description && <p className="mt-1 max-w-2xl text-sm text-pretty text-muted">{description}</p>}
        </div>
        {actions && (
          <div className="flex flex-wrap items-center gap-2 print:[&_button:not([data-state=on])]:hidden">
            {actions}
          </div>
        )}
      </header>
      {children}
    </div>
  )
}
