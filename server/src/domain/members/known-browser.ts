/**
 * A browser in which somebody has signed in is known for their address from then on, signed in or not: whatever strangers
 * request and guess for that address, this browser still gets a code. Its token proves only that and gives no access, so
 * it is in no table.
 */
import { emailForms, type MemberDependencies } from './person.ts'

export const knownSeconds = 180 * 86_400
const sealContext = 'known browser'

type Dependencies = Pick<MemberDependencies, 'clock' | 'keyring'>

const personIn = (dependencies: Dependencies, email: string) =>
  emailForms(dependencies, email).hash.toString('hex')

/** Returns the token for the cookie. */
export function makeKnown(dependencies: Dependencies, email: string): string {
  const nowMs = dependencies.clock.nowMs()
  const keys = dependencies.keyring()
  const said = `${personIn(dependencies, email)} ${nowMs + knownSeconds * 1000}`
  return keys.seal(keys.current(nowMs), said, sealContext).toString('base64url')
}

export const isKnown = (dependencies: Dependencies, email: string, token: string | null): boolean =>
  knownPerson(dependencies, token) === personIn(dependencies, email)

/** Equal for the browsers of one address, in hexadecimal; null for a browser that nobody has signed in with. */
export function knownPerson(dependencies: Dependencies, token: string | null): string | null {
  const [person, untilMs] = opened(dependencies, token).split(' ')
  return person && Number(untilMs) > dependencies.clock.nowMs() ? person : null
}

/** Empty for a text that is not one of the service's tokens. */
function opened({ keyring }: Dependencies, token: string | null): string {
  try {
    return token === null ? '' : keyring().open(Buffer.from(token, 'base64url'), sealContext)
  } catch {
    return ''
  }
}
