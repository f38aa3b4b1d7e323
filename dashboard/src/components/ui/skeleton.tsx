import { cx } from '#lib/classes.ts'

export const Skeleton = ({ className }: { readonly className?: string }) => (
  <span aria-hidden="true" className={cx('block animate-pulse rounded-sm bg-sunken', className)} />
)

/** Shown in place of a table or a form that is being loaded. */
export const SkeletonRows = ({ rows = 6 }: { readonly rows?: number }) => (
  <div role="status" className="flex flex-col gap-3 px-4 py-4">
    <span className="sr-only">Loading</span>
    {Array.from({ length: rows }, (_unused, index) => `row ${index}`).map((row) => (
      <Skeleton key={row} className="h-4 w-full" />
    ))}
  </div>
)

/** Shown in place of a chart, and about as high, so that nothing below it moves. */
export const SkeletonChart = () => (
  <div role="status">
    <span className="sr-only">Loading</span>
    <Skeleton className="h-96 w-full rounded-lg" />
  </div>
)

export const SkeletonPage = () => (
  <div role="status" className="container-page flex flex-col gap-5 pt-7">
    <span className="sr-only">Loading</span>
    <Skeleton className="h-6 w-44" />
    <Skeleton className="h-28 w-full" />
    <Skeleton className="h-64 w-full" />
  </div>
)
