/** What the settings of every kind of provider are made of, and the words for each. */
import { z } from 'zod'

/** Copied into the OpenAPI document, and forms are made from it. */
interface SettingWords {
  readonly title: string
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly contentMediaType?: string
  /** A credential: written, never read back. */
  readonly writeOnly?: true
  /** `place`: decides where credentials are sent, and how well they are protected. `credential`: is sent there. */
  readonly 'x-destination'?: 'place' | 'credential'
  /** Most accounts do not need this setting, so forms fold it away. */
  readonly 'x-rare'?: true
  /** For a flag: what applies if it is absent. */
  readonly 'x-when-absent'?: string
}

/** Applied to the schema of the value itself, before `.optional()` or `.default()`. */
export const setting = <Schema extends z.ZodType>(schema: Schema, words: SettingWords): Schema =>
  schema.meta({ ...words })

/** The schema of the value itself, without `.optional()` or `.default()` around it. */
export function withoutDefault(schema: z.ZodType): z.ZodType {
  if (!(schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)) return schema
  const inner = schema.unwrap()
  return inner instanceof z.ZodType ? withoutDefault(inner) : schema
}

export const wordsOf = (schema: z.ZodType) => withoutDefault(schema).meta() ?? {}

export const MAX_HOST_LENGTH = 253
/** Tokens of some providers have hundreds of characters. */
export const MAX_SECRET_LENGTH = 4_096
const MAX_PEM_LENGTH = 32_768
const MAX_URL_LENGTH = 2_000

export const secret = z.string().min(1).max(MAX_SECRET_LENGTH)
/**
 * One that a provider has given out, for a header or a signature. Copied with a line break, it would look like a provider
 * that cannot be reached, or that signs wrongly.
 */
export const plainSecret = secret.regex(
  /^[\x20-\x7e]+$/,
  'must be printable characters of ASCII, without a line break',
)
/** Certificates and keys as text; a file of several authorities is long. */
export const pem = z.string().min(1).max(MAX_PEM_LENGTH)
export const pemType = { contentMediaType: 'application/x-pem-file' } as const

/** A name, or an address, of which only one of version 6 has colons. */
const HOST = /^(?:[^\s/@:[\]]+|[\dA-Fa-f.]*:[\dA-Fa-f.]*:[\dA-Fa-f:.]*(?:%\w+)?)$/
const hostText = z
  .string()
  .min(1)
  .max(MAX_HOST_LENGTH)
  .regex(HOST, 'must be a host name or an address alone, without scheme, port or blanks')

export const host = (example: string) =>
  setting(hostText, {
    title: 'Host',
    examples: [example],
    'x-destination': 'place',
  })

export const port = (standard: number) =>
  setting(z.int().min(1).max(65_535), { title: 'Port', 'x-destination': 'place' }).default(standard)

const certificates = pem.regex(/-BEGIN (?:X509 |TRUSTED )?CERTIFICATE-/, 'must be certificates as PEM')

export const authority = setting(certificates, {
  ...pemType,
  title: 'Certificate authority',
  description: 'PEM, if the certificate is not signed by a public authority.',
  'x-destination': 'place',
  'x-rare': true,
}).optional()

/** The address of a provider's API: without a password, since settings are stored in plain text, and without a query. */
export const bareAddress = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address' })
  .max(MAX_URL_LENGTH)
  .refine(isBare, 'must have no user, password, query or fragment')

/** Settable for proxies, regional hosts and stand-ins. */
export const baseUrl = (standard: string) =>
  setting(bareAddress, {
    title: 'Address of the API',
    description: 'For regional hosts and proxies.',
    'x-destination': 'place',
    'x-rare': true,
  }).default(standard)

/** In backticks, so that a page which shows the message can put its own label for the setting in place of the name. */
const inCode = (name: string) => `\`${name}\``

const isGiven = (settings: object, name: string) => Reflect.get(settings, name) !== undefined

type NameIn<Fields extends z.ZodObject> = keyof Fields['shape'] & string

/** Either all of these settings are given or none. */
export function together<Fields extends z.ZodObject>(
  fields: Fields,
  ...names: readonly NameIn<Fields>[]
): Fields {
  const last = names.at(-1) ?? ''
  return fields.refine((settings) => new Set(names.map((name) => isGiven(settings, name))).size < 2, {
    message: `must be given together with ${names.slice(0, -1).map(inCode).join(', ')}`,
    path: [last],
  })
}

/** Exactly one of the two settings is given. */
export const either = <Fields extends z.ZodObject>(
  fields: Fields,
  one: NameIn<Fields>,
  other: NameIn<Fields>,
): Fields =>
  fields.refine((settings) => isGiven(settings, one) !== isGiven(settings, other), {
    message: `or ${inCode(other)} must be given, and not both`,
    path: [one],
  })

function isBare(text: string): boolean {
  try {
    const { username, password } = new URL(text)
    return username === '' && password === '' && !/[?#]/.test(text)
  } catch {
    return false
  }
}
