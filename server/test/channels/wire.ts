/** How one gateway is spoken with, as its vendor's documentation has it. */

type Tried = readonly [status: number, answer: unknown, kind: string, messageIdOrCode?: string | null]
type Reported = readonly [body: unknown, status: string | null, id?: string, unreachable?: boolean]

export interface Wire {
  /** What somebody with an account there gives. */
  readonly given: Readonly<Record<string, unknown>>
  readonly path: string
  /** Headers by which it is known who sends. */
  readonly headers: Readonly<Record<string, string | RegExp>>
  /** JSON or the fields of a form. */
  readonly body: unknown
  readonly answers: readonly Tried[]
  /** JSON, or a form where it says so. */
  readonly receipts: readonly Reported[]
  readonly reportsForms?: true
}

export const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

export const text = 'Your ACME code is 123456'
