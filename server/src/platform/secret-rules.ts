/** The required form of secrets, whether they come from a variable or a file. */

const masterKeyBytes = 32
export const masterKeyRule = 'must be 32 random bytes in base64 (openssl rand -base64 32)'

/** Null if it is not a master key. */
export function parseMasterKey(raw: string): Buffer | null {
  const key = Buffer.from(raw, 'base64')
  return key.length === masterKeyBytes ? key : null
}

export const tokenRule =
  'must have at least 24 characters, of letters, digits and signs of ASCII without spaces (openssl rand -hex 24)'

/** It can be sent in a header, and is too long to guess. */
export const isToken = (raw: string): boolean => /^[!-~]{24,}$/.test(raw)
