/** Metrics of each provider account, for as long as the account exists. */
import { Counter, Gauge, type Registry } from 'prom-client'
import { type AccountLabels, accountLabels, type TrafficMetrics } from './traffic-metrics.ts'

export interface AccountMetrics {
  readonly countAccountMessages: (account: AccountLabels, result: AccountResult, count: number) => void
  /** Drops what was counted for all other accounts, which would otherwise be reported for ever. */
  readonly keepAccounts: (accounts: ReadonlySet<string>) => void
  /** 1 for an account that is up, 0 for one that fails; an account that is not in the list has no value. */
  readonly setAccountsUp: (values: readonly (readonly [AccountLabels, 0 | 1])[]) => void
}

const accountResults = ['sent', 'failed', 'delivered'] as const
type AccountResult = (typeof accountResults)[number]

export function accountMetrics(registry: Registry, { keepTimesOf }: TrafficMetrics): AccountMetrics {
  const messages = new Counter({
    name: 'countersign_account_messages_total',
    help: 'Messages that a provider account took, did not take or reported as failed, and reported as delivered.',
    labelNames: [...accountLabels, 'result'],
    registers: [registry],
  })
  const up = new Gauge({
    name: 'countersign_account_up',
    help: '1 for a provider account that is up, 0 for one that fails, over all nodes; no value where nobody knows.',
    labelNames: accountLabels,
    aggregator: 'max',
    registers: [registry],
  })
  const counted = new Map<string, AccountLabels>()
  return {
    countAccountMessages: (labels, result, count) => {
      counted.set(labels.account, labels)
      messages.inc({ ...labels, result }, count)
    },
    keepAccounts: (accounts) => {
      keepTimesOf(accounts)
      for (const [account, labels] of counted) {
        if (accounts.has(account)) continue
        counted.delete(account)
        for (const result of accountResults) messages.remove({ ...labels, result })
      }
    },
    setAccountsUp: (values) => {
      up.reset()
      for (const [labels, value] of values) up.set({ ...labels }, value)
    },
  }
}
