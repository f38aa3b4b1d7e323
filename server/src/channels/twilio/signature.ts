/** X-Twilio-Signature: https://www.twilio.com/docs/usage/security#validating-requests */
import { createHash, createHmac } from 'node:crypto'
import { parse, stringify } from 'node:querystring'
import { equalsInConstantTime } from '../constant-time.ts'

/** Form fields, each with all its values. */
export type FormFields = ReadonlyMap<string, readonly string[]>

/** Far above what Twilio sends. Bounded, because names are sorted before the signature is checked. */
const MAX_FORM_BYTES = 64 * 1024
const MAX_FORM_FIELDS = 500

/** Null for a form that is too long to be from Twilio. */
export function parseForm(body: Buffer): FormFields | null {
  if (body.length > MAX_FORM_BYTES) return null
  const fields = new Map<string, string[]>()
  let count = 0
  for (const [name, value] of new URLSearchParams(body.toString('utf8'))) {
    if (++count > MAX_FORM_FIELDS) return null
    const values = fields.get(name)
    if (values === undefined) fields.set(name, [value])
    else values.push(value)
  }
  return fields
}

export function isSignedForm(authToken: string, signature: string, url: string, fields: FormFields): boolean {
  return signedUrls(url).some((candidate) =>
    equalsInConstantTime(sign(authToken, candidate, fields), signature),
  )
}

/** For a body that is not a form, the signature covers a hash of it in the URL. */
export function isSignedBody(authToken: string, signature: string, url: string, body: Buffer): boolean {
  if (!isSignedForm(authToken, signature, url, new Map())) return false
  const expected = new URL(url).searchParams.get('bodySHA256') ?? ''
  return equalsInConstantTime(createHash('sha256').update(body).digest('hex'), expected.toLowerCase())
}

function sign(authToken: string, url: string, fields: FormFields): string {
  let signed = url
  for (const name of [...fields.keys()].sort()) {
    for (const value of [...new Set(fields.get(name))].sort()) signed += name + value
  }
  return createHmac('sha1', authToken).update(signed, 'utf8').digest('base64')
}

// Twilio's back ends disagree on the port and on the escaping of the query; its own library tries each form.
function signedUrls(url: string): string[] {
  const normalized = URL.canParse(url) ? new URL(url).toString() : url
  const forms = [url, normalized, withLegacyQuery(normalized)]
  return [...new Set(forms.flatMap((form) => [withoutPort(form), withPort(form)]))]
}

const AUTHORITY = /^([a-z][a-z0-9+.-]*:\/\/)((?:[^/?#@]*@)?(?:\[[^\]]*\]|[^/?#:]*))(:\d+)?/i

function withoutPort(url: string): string {
  return url.replace(AUTHORITY, '$1$2')
}

function withPort(url: string): string {
  return url.replace(AUTHORITY, (_match, scheme: string, host: string, port: string | undefined) => {
    return scheme + host + (port ?? (scheme.toLowerCase() === 'https://' ? ':443' : ':80'))
  })
}

function withLegacyQuery(url: string): string {
  const start = url.indexOf('?')
  return start === -1 ? url : `${url.slice(0, start)}?${stringify(parse(url.slice(start + 1)))}`
}
