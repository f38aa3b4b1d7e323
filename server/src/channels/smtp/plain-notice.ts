/** What a failure notice without a machine-readable part says. */
export interface PlainNotice {
  readonly statusCode: string
  readonly words: string
}
