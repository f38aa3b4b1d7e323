/** A part of the dashboard that could not be loaded, because nothing answers. */
export class MissingPart extends Error {
  override readonly name = 'MissingPart'

  constructor(options: ErrorOptions) {
    super('A part of the dashboard could not be loaded.', options)
  }
}

/** Each browser has its own message for it. */
export const isMissingPart = (error: unknown): boolean =>
  error instanceof MissingPart ||
  (error instanceof Error && /dynamically imported module|module script failed/i.test(error.message))

/** Whether the dashboard could be opened now. */
export const isReachable = (): Promise<boolean> =>
  fetch('/dashboard/', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  )
