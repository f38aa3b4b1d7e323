/** The protocol of one gateway, as its vendor documents it. */

type Tried = readonly [status: number, answer: unknown, kind: string, messageIdOrCode?: string | null]
type Reported = readonly [body: unknown, status: string | null, id?: string, unreachable?: boolean]

export interface Wire {
  /** The settings that a user with an account there gives. */
  readonly given: Readonly<Record<string, unknown>>
  readonly path: string
  /** The headers that authenticate the request. */
  readonly headers: Readonly<Record<string, string | RegExp>>
  /** JSON, or the fields of a form. */
  readonly body: unknown
  readonly answers: readonly Tried[]
  /** JSON, or a form if `reportsForms` is set. */
  readonly receipts: readonly Reported[]
  readonly reportsForms?: true
}

export const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

export const text = 'Your ACME code is 123456'
