/** Passkeys, in the JSON format of WebAuthn. */
import { z } from 'zod'
import { plainText, timestamp } from '../vocabulary.ts'

/** Base64url of at most a few kilobytes: no browser's credential is longer. */
const bytes = z
  .string()
  .max(16_384)
  .regex(/^[\w-]*$/, 'must be base64url')

export const assertion = z.object({
  id: bytes,
  rawId: bytes,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: bytes,
    authenticatorData: bytes,
    signature: bytes,
    userHandle: bytes.nullish(),
  }),
})
export const attestation = z.object({
  id: bytes,
  rawId: bytes,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: bytes,
    attestationObject: bytes,
    transports: z
      .array(z.string().regex(/^[a-z-]{1,32}$/))
      .max(10)
      .optional(),
  }),
})
export type Assertion = z.infer<typeof assertion>
export type Attestation = z.infer<typeof attestation>

const passkeyName = plainText.trim().min(1).max(60)

export const passkeyOptionsAnswer = z.object({
  options: z
    .record(z.string(), z.unknown())
    .meta({ description: 'For `navigator.credentials`, as JSON. Good once, for five minutes.' }),
})
export const assertionBody = z.strictObject({ credential: assertion })
export const signInPasskeyAnswer = z.object({ person_id: z.string() })
export const proofAnswer = z.object({ is_fresh: z.literal(true) })

const passkey = z.object({
  passkey_id: z.string(),
  name: z.string(),
  is_backed_up: z.boolean().meta({ description: 'Kept by a password manager, on more than one device.' }),
  is_suspect: z.boolean().meta({
    description: 'Its counter went backwards: somebody may have a copy. It is not accepted any more.',
  }),
  created_at: timestamp,
  last_used_at: timestamp.nullable(),
})
export const passkeyAnswer = passkey
export type PasskeyAnswer = z.infer<typeof passkey>
export const passkeysAnswer = z.object({ passkeys: z.array(passkey) })
export const addPasskeyBody = z.strictObject({ name: passkeyName, credential: attestation })
export const renamePasskeyBody = z.strictObject({ name: passkeyName })
export const removePasskeyAnswer = z.object({ passkey_id: z.string() })
