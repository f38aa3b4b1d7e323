import type { RuleFacts } from '../verification/decision.ts'
import type { Words } from './words.ts'

type Account = RuleFacts['account']['accounts'][number]

const percent = (share: number) => `${Math.round(share * 100)} %`

const stateWords: Readonly<Record<Account['state'], string>> = {
  leading: 'judged best',
  holding: 'needed to stay above the floor',
  costlier: 'an approval costs more',
  under_floor: 'brings too few approvals',
  unknown: 'too little is known about it',
  standby: 'comes after the others',
}

/** The figures that an account was judged by. */
function sayFigures({ conversion, low, high, cost_per_approval }: Account, { money }: Words): string {
  const typed = `${percent(conversion)} approved (${percent(low)} to ${percent(high)})`
  return cost_per_approval === null ? typed : `${money(cost_per_approval)} for an approval, ${typed}`
}

const accountReasons: Readonly<Record<RuleFacts['account']['because'], string>> = {
  leading: 'its approvals cost least here',
  holding: 'the cheapest alone may bring too few approvals',
  trying: 'it is tried, to learn more about it',
  too_little_known: 'too little is known about any of them, so priority decides',
  only: 'there is no other here',
  unread: 'the figures could not be read, so priority decides',
}

export function sayAccount({ because, provider_id, accounts }: RuleFacts['account'], words: Words): string {
  const chosen = accounts.find((each) => each.provider_id === provider_id)
  const figures = chosen && chosen.sends > 0 ? ` It is judged at ${sayFigures(chosen, words)}.` : ''
  const others = accounts.filter((each) => each !== chosen)
  const beside = others.map(
    (each) => `${words.account(each.provider_id)} at ${sayFigures(each, words)}: ${stateWords[each.state]}`,
  )
  const rest = beside.length > 0 ? ` Others: ${beside.join('; ')}.` : ''
  return `The account ${words.account(provider_id)} is asked first: ${accountReasons[because]}.${figures}${rest}`
}
