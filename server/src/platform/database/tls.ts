/** How connections to the database are encrypted, as the parameters of its address say in libpq's terms. */
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { codeOf } from '../error-code.ts'
import { parametersOf } from './query.ts'

/** Without `allow` and `prefer`, which fall back to no encryption: the driver does not, and it would protect nobody. */
const modes: readonly string[] = ['disable', 'require', 'verify-ca', 'verify-full']
const files = ['sslrootcert', 'sslcert', 'sslkey'] as const
export const tlsParameters: readonly string[] = ['sslmode', ...files, 'sslnegotiation']
const negotiations: readonly string[] = ['postgres', 'direct']

/** Without this switch the driver treats every mode but one as verify-full. */
export function tellDriver(parameters: URLSearchParams): void {
  if (parameters.has('sslmode')) parameters.set('uselibpqcompat', 'true')
}

/** What is wrong with the TLS parameters of an address, as text that follows the variable's name; null if nothing. */
export function tlsProblemOf(url: string): string | null {
  const parameters = parametersOf(url)
  const mode = parameters.get('sslmode')
  if (mode !== null && !modes.includes(mode))
    return `: sslmode must be one of ${modes.join(', ')}, not "${mode}".`
  if (mode === 'verify-ca' && !parameters.get('sslrootcert'))
    return ': sslmode=verify-ca needs sslrootcert, the file with the certificate of your authority.'
  const negotiation = parameters.get('sslnegotiation') ?? 'postgres'
  if (!negotiations.includes(negotiation))
    return `: sslnegotiation must be one of ${negotiations.join(', ')}, not "${negotiation}".`
  if (negotiation === 'direct' && mode === 'disable')
    return ': sslnegotiation=direct needs encryption, which sslmode=disable switches off.'
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
    const code = codeOf(error)
    return code !== null && /^E[A-Z]+$/.test(code)
      ? `: the file ${file} of ${name} cannot be read (${code}).`
      : `: the file ${file} of ${name} is not a certificate in PEM.`
  }
}
