/** A channel or a country in which far fewer people are approved than usual. */
import { channelNames } from '@countersign/contract'
import { channelWords, figure } from '../words.ts'
import type { Check, Item } from './attention.ts'
import { type Conversion, readConversions } from './store.ts'

/** With fewer verifications, a drop may be chance. */
const fewestRecent = 30
const fewestUsual = 100

const percent = ({ sends, approvals }: Conversion['recent']) => Math.round((approvals * 100) / sends)

export const checkConversion: Check = async ({ database, clock }, { companyId, appId }, { dropPercent }) =>
  findFallen(
    await readConversions(database.of(companyId), appId, clock.nowMs()),
    dropPercent,
    'in the last hour',
  ).map(
    ({ name, words }): Item => ({
      kind: 'conversion_drop',
      severity: 'warning',
      message: `${words}.`,
      since: null,
      subject: `${appId} ${name}`,
    }),
  )

/** The conversions that fell, each with a sentence about it. */
export const findFallen = <One extends Conversion>(
  conversions: readonly One[],
  dropPercent: number,
  span: string,
): (One & { readonly words: string })[] =>
  conversions.flatMap((one) => {
    const { name, recent, usual } = one
    if (recent.sends < fewestRecent || usual.sends < fewestUsual) return []
    // In whole numbers: recent share < usual share × (1 − drop).
    const isFallen =
      recent.approvals * usual.sends * 100 < usual.approvals * recent.sends * (100 - dropPercent)
    if (!isFallen) return []
    const where = channelNames.find((channel) => channel === name)
    const phrase = where ? `by ${channelWords[where]}` : name === 'none' ? 'with no country' : `in ${name}`
    const words = `${percent(recent)} % of ${figure(recent.sends)} verifications ${phrase} ${span} were approved; ${percent(usual)} % is usual`
    return [{ ...one, words }]
  })
