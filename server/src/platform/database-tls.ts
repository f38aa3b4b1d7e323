/** How connections to the database are encrypted, as the parameters of its address say in libpq's terms. */
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** Without `allow` and `prefer`, which fall back to no encryption: the driver does not, and it would protect nobody. */
const modes: readonly string[] = ['disable', 'require', 'verify-ca', 'verify-full']
const files = ['sslrootcert', 'sslcert', 'sslkey'] as const
const known: readonly string[] = ['sslmode', ...files, 'sslnegotiation']

/** Without this switch the driver treats every mode but one as verify-full. */
export function tellDriver(parameters: URLSearchParams): void {
  if (parameters.has('sslmode')) parameters.set('uselibpqcompat', 'true')
}

/** What is wrong with the TLS parameters of an address, as text that follows the variable's name; null if nothing. */
export function tlsProblemOf(url: string): string | null {
  const parameters = new URLSearchParams(url.split('?')[1])
  // With a typo such as sslmod every connection would be unencrypted, and nobody would notice.
  const unknown = [...parameters.keys()].find((name) => /^ssl./i.test(name) && !known.includes(name))
  if (unknown !== undefined) return `: "${unknown}" is none of ${known.join(', ')}.`
  const mode = parameters.get('sslmode')
  if (mode !== null && !modes.includes(mode))
    return `: sslmode must be one of ${modes.join(', ')}, not "${mode}".`
  if (mode === 'verify-ca' && !parameters.get('sslrootcert'))
    return ': sslmode=verify-ca needs sslrootcert, the file with the certificate of your authority.'
  for (const name of files) {
    const problem = fileProblem(name, parameters.get(name))
    if (problem) return problem
  }
  return null
}

function fileProblem(name: string, file: string | null): string | null {
  if (!file) return null
  try {
    const content = readFileSync(file)
    if (name !== 'sslkey') new X509Certificate(content)
    return null
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    return /^E[A-Z]+$/.test(code)
      ? `: the file ${file} of ${name} cannot be read (${code}).`
      : `: the file ${file} of ${name} is not a certificate in PEM.`
  }
}
