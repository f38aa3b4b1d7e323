/** Provider accounts: whether there is one at all, and the state of each. */
import { listEnabledProviders, readStates } from '../../domain/routing/index.ts'
import { type Check, fault, ok, warning } from './finding.ts'

/** Chosen by the error codes of channels; a provider's own text is not interpreted. */
const mends: readonly (readonly [code: RegExp, mend: string])[] = [
  [
    /^(http_40[13]|20003|190|ACCESS_TOKEN_INVALID|E(NO)?AUTH|53[0458]|5\.7\.8|bind_refused|0x0000000[def])$/,
    'Give the account its credentials again, then test it on its page.',
  ],
  [/^cannot_open$/, 'Give the account its settings and credentials again: they cannot be opened.'],
  [
    /^(E[A-Z_]+|UND_ERR_[A-Z_]+|connect\w*|\w*connected|closed|socket_error|response_timeout|deadline)$/,
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
    return fault(
      'providers',
      `${name} fails: ${why}`,
      mends.find(([code]) => code.test(lastError?.code ?? ''))?.[1] ?? usualMend,
    )
  })
}
