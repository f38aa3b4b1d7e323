/** Whether the company can pay. A link costs nothing until a message is sent. */
import { formatMicros, priceOf } from '../../../billing/index.ts'
import { type Rule, refuse, routeOf } from '../rule.ts'

export const judgeBalance: Rule = ({ country }, { batch, found }, { prices }) => {
  const { step } = routeOf(found)
  const { isMetered, balanceMicros } = batch.funds
  const rule = 'balance'
  if (step.kind !== 'message') return { decided: { rule, outcome: 'pass', facts: { because: 'link' } } }
  if (!isMetered) return { decided: { rule, outcome: 'pass', facts: { because: 'not_metered' } } }
  const paidMicros = priceOf(prices, step.channel, country)
  const price = formatMicros(paidMicros)
  const facts = { because: 'price', price, balance: formatMicros(balanceMicros) } as const
  if (balanceMicros < paidMicros)
    return refuse({ rule, outcome: 'refuse', facts }, 'InsufficientFundsError', { price })
  return { decided: { rule, outcome: 'pass', facts }, wants: { paidMicros } }
}
