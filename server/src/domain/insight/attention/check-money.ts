/** A balance that runs out, and caps that are nearly reached. */
import type { ChannelName, PriceBook } from '@countersign/contract'
import { type Cap, exceedsCap, lookUpSpend, priceOf, sayAmount } from '../../billing/index.ts'
import type { App } from '../../tenancy/index.ts'
import { readProgress } from '../figures/store.ts'
import { count, messageWords, underDays } from '../words.ts'
import type { Check, Item } from './attention.ts'
import { readFundsAndSpend } from './store.ts'

const amountOf = (micros: bigint, { currency }: Pick<PriceBook, 'currency'>) => sayAmount(micros, currency)

function firstChannel({ settings: { routing, channels } }: App): ChannelName {
  return routing.default.find((channel) => channels[channel].enabled) ?? 'sms'
}

/** With fewer messages left, people are about to get no code. */
const fewMessages = 5n

export const checkBalance: Check = async ({ database, prices }, app, { daysLeft }) => {
  const { gatheredToMs } = await readProgress(database)
  const found = await readFundsAndSpend(database.of(app.companyId), gatheredToMs)
  if (!found?.isMetered) return []
  const book = await prices()
  const channel = firstChannel(app)
  const price = priceOf(book, channel, null)
  const { balanceMicros, spentMicros } = found
  const [balance, spent] = [amountOf(balanceMicros, book), amountOf(spentMicros, book)]
  const item = (severity: Item['severity'], message: string): Item[] => [
    { kind: 'low_balance', severity, message, since: null, subject: 'balance' },
  ]
  if (balanceMicros < price) {
    const cost = `one ${messageWords[channel]} costs ${amountOf(price, book)}`
    return item('critical', `The balance of ${balance} is too low: ${cost}.`)
  }
  // Computed in thousandths of a day, since money is not a float.
  if (spentMicros > 0n && balanceMicros * 1_000n < spentMicros * BigInt(Math.round(daysLeft * 1_000))) {
    const pace = `${spent} was spent in the last day. At this rate, the balance lasts ${underDays(daysLeft)}.`
    return item('warning', `The balance is ${balance}. ${pace}`)
  }
  if (balanceMicros >= fewMessages * price) return []
  const left = count(Number(balanceMicros / price), messageWords[channel])
  return item('warning', `The balance of ${balance} is enough for only ${left}.`)
}

const mostCaps = 10

/** A cap counts as reached when the next message would go beyond it. */
export const checkSpendCaps: Check = async ({ database, prices }, app, { capPercent }) => {
  const book = await prices()
  const { countries, hour } = await lookUpSpend({ database, prices }, app)
  const channel = firstChannel(app)
  const item = (cap: Cap, counted: bigint, country: string | null, period: string): Item[] => {
    const price = priceOf(book, channel, country)
    // No cap holds back what is free, and a learned cap is zero if everything is free.
    if (cap.micros === null || cap.micros === 0n || price === 0n) return []
    const isReached = exceedsCap(cap, counted, price)
    // Computed in thousandths of a percent, since money is not a float.
    if (!isReached && counted * 100_000n < BigInt(Math.round(capPercent * 1_000)) * cap.micros) return []
    const what = `cap of ${amountOf(cap.micros, book)} ${period}`
    const message = isReached
      ? `The ${what} has been reached.`
      : `${(counted * 100n) / cap.micros} % of the ${what} has been used.`
    const subject = `${app.appId} ${period}`
    return [
      { kind: 'spend_cap', severity: isReached ? 'critical' : 'warning', message, since: null, subject },
    ]
  }
  return [
    ...item(hour.cap, hour.unverifiedMicros, null, 'for this hour, on verifications that are not approved,'),
    ...countries.flatMap(({ cap, spentMicros, country }) =>
      item(cap, spentMicros, country, `for today ${country ? `in ${country}` : 'for email addresses'}`),
    ),
  ].slice(0, mostCaps)
}
