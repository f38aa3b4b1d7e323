/** A script of the dashboard that could not be loaded, because the service cannot be reached. */
export class MissingPart extends Error {
  override readonly name = 'MissingPart'

  constructor(options: ErrorOptions) {
    super('A part of the dashboard could not be loaded.', options)
  }
}

/** Recognises the error by its message, which each browser words differently. */
export const isMissingPart = (error: unknown): boolean =>
  error instanceof MissingPart ||
  (error instanceof Error && /dynamically imported module|module script failed/i.test(error.message))

/** Whether the dashboard could be loaded now. */
export const isReachable = (): Promise<boolean> =>
  fetch('/dashboard/', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  )
