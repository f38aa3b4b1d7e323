import { Link } from '@tanstack/react-router'
import { buttonClass } from '#components/ui/button.tsx'
import { Empty } from '#components/ui/empty.tsx'
import { useTitle } from '#lib/title.ts'

export function NotFoundPage() {
  useTitle('Not found')
  return (
    <div className="container-page pt-10">
      <h1 className="sr-only">Not found</h1>
      <Empty
        title="There is nothing at this address"
        action={
          <Link to="/" className={buttonClass()}>
            Go to the overview
          </Link>
        }
      >
        It may have been removed, or it may belong to a company that you are not a member of.
      </Empty>
    </div>
  )
}
