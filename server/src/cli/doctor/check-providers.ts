/** Provider accounts: whether there is one at all, and how each is. */
import { listEnabledProviders, readStates } from '../../domain/routing/index.ts'
import { type Check, fault, ok, warning } from './finding.ts'

const mends: readonly (readonly [code: RegExp, mend: string])[] = [
  [
    /auth|bind|credential|401|403|password/i,
    'Give the account its credentials again, then test it on its page.',
  ],
  [/cannot_open/, 'Give the account its settings and credentials again: they cannot be opened.'],
  [
    /connect|refused|timeout|unreachable|dns|host/i,
    'Let the workers reach its host and port, or ask the provider.',
  ],
]
const usualMend = 'Look at its page for the last errors, and ask the provider.'

export const checkProviders: Check = async ({ database, config }) => {
  const accounts = await listEnabledProviders(database)
  if (accounts.length === 0)
    return [
      config.simulator
        ? warning(
            'providers',
            'There is none: the simulator carries every message, and nobody gets one.',
            'Connect a provider.',
          )
        : fault(
            'providers',
            'There is none, so nothing can be sent.',
            'Connect one on the dashboard, or see docs/providers.md.',
          ),
    ]
  const stateOf = await readStates(database, null)
  return accounts.map((account) => {
    const name = `${account.kind} ${account.providerId}`
    const { status, lastError } = stateOf(account)
    if (status !== 'failing') return ok('providers', `${name}: ${status}.`)
    const why = lastError ? `${lastError.message} (${lastError.code})` : 'It does not say why.'
    const said = `${lastError?.code ?? ''} ${lastError?.message ?? ''}`
    return fault(
      'providers',
      `${name} fails: ${why}`,
      mends.find(([code]) => code.test(said))?.[1] ?? usualMend,
    )
  })
}
