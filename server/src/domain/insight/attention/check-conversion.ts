/** A channel or a country in which far fewer people are approved than usual. */
import { channelNames } from '@countersign/contract'
import { channelWords } from '../words.ts'
import type { Check, Item } from './attention.ts'
import { type Conversion, readConversions } from './store.ts'

/** With fewer, chance alone makes a drop. */
const fewestRecent = 30
const fewestUsual = 100

const percent = ({ sends, approvals }: Conversion['recent']) => Math.round((approvals * 100) / sends)

export const checkConversion: Check = async ({ database, clock }, { companyId, appId }, { dropPercent }) => {
  const conversions = await readConversions(database.of(companyId), appId, clock.nowMs())
  return conversions.flatMap(({ name, recent, usual }): Item[] => {
    if (recent.sends < fewestRecent || usual.sends < fewestUsual) return []
    // Whole numbers: recent share < usual share × (1 − drop).
    const isFallen =
      recent.approvals * usual.sends * 100 < usual.approvals * recent.sends * (100 - dropPercent)
    if (!isFallen) return []
    const where = channelNames.find((channel) => channel === name)
    const place = where ? `by ${channelWords[where]}` : name === 'none' ? 'without a country' : `in ${name}`
    const message = `Of ${recent.sends} verifications ${place} in the last hour ${percent(recent)} % were approved; usual is ${percent(usual)} %.`
    const subject = `${appId} ${name}`
    return [{ kind: 'conversion_drop', severity: 'warning', message, since: null, subject }]
  })
}
