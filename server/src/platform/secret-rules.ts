/** What a secret has to be like, whether a variable or a file holds it. */

const masterKeyBytes = 32
export const masterKeyRule = 'must be 32 random bytes in base64 (openssl rand -base64 32)'

/** Null for what is none. */
export function parseMasterKey(raw: string): Buffer | null {
  const key = Buffer.from(raw, 'base64')
  return key.length === masterKeyBytes ? key : null
}

export const tokenRule =
  'must have at least 24 characters, of letters, digits and signs of ASCII without spaces (openssl rand -hex 24)'

/** As it can be sent in a header, and long enough that nobody guesses it. */
export const isToken = (raw: string): boolean => /^[!-~]{24,}$/.test(raw)
