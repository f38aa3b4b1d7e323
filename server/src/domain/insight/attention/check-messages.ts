/** Providers that fail or take nothing, and messages that reach nobody. */
import type { Providers } from '../../routing/index.ts'
import { readNamesOfAll } from '../account-name-store.ts'
import { channelWords, count, figure } from '../words.ts'
import { type Check, type Item, iso } from './attention.ts'
import { hasApprovals, type ProviderRecord, readProviderRecords } from './store.ts'

const fewestEnded = 20
const failingShare = 0.5
/** A small app sends few: fewer messages are enough where not one of them arrived. */
const fewestAllFailed = 8

export const checkMessages: Check = async ({ database, clock, providers }, { companyId, appId }) => {
  const tenant = database.of(companyId)
  const records = await readProviderRecords(tenant, appId, clock.nowMs())
  const ids = records.map(({ providerId }) => providerId)
  const names = ids.length > 0 ? await readNamesOfAll(database, ids) : new Map<string, string>()
  const items = records.flatMap((record) => providerItems(record, nameOf(providers, record, names)))
  const settled = records.reduce((sum, record) => sum + record.settled, 0)
  const isNoneDelivered = settled >= fewestEnded && records.every(({ delivered }) => delivered === 0)
  // Many providers send no receipts, but a code that was entered was certainly delivered.
  if (!isNoneDelivered || (await hasApprovals(tenant, appId, clock.nowMs()))) return items
  const since = new Date(Math.min(...records.map(({ firstAt }) => firstAt.getTime())))
  const message = `None of the ${figure(settled)} messages of the last hour were reported as delivered, and nobody was approved.`
  return [
    ...items,
    { kind: 'no_messages_delivered', severity: 'critical', message, since: iso(since), subject: appId },
  ]
}

type Ended = ProviderRecord['hour']

const isFailing = ({ ended, failed }: Ended): boolean =>
  ended >= fewestEnded ? failed >= failingShare * ended : ended >= fewestAllFailed && failed === ended

function providerItems(record: ProviderRecord, name: string): Item[] {
  const { recent, hour, waiting } = record
  const spans: readonly (readonly [Ended, string])[] = [
    [recent, '15 minutes'],
    // If enough ended lately, earlier messages say nothing about the account's state now.
    ...(recent.ended >= fewestEnded ? [] : [[hour, 'hour'] as const]),
  ]
  const failing = spans.find(([ended]) => isFailing(ended))
  const item = (what: string, since: Date | null): Item => ({
    kind: 'failing_provider',
    severity: 'critical',
    message: `${name}: ${what}.`,
    since: iso(since),
    subject: record.providerId,
  })
  const items: Item[] = []
  if (failing) {
    const [{ ended, failed }, span] = failing
    items.push(
      item(`${figure(failed)} of ${figure(ended)} messages in the last ${span} failed`, record.failedSince),
    )
  }
  if (waiting > 0)
    items.push(
      item(
        `${count(waiting, 'message')} ${waiting === 1 ? 'has' : 'have'} been waiting to be sent for more than a minute`,
        record.waitingSince,
      ),
    )
  return items
}

/** A company may see the names of its own accounts; of the operator's account only that there is one. */
function nameOf(
  providers: Providers,
  { providerId, channel }: ProviderRecord,
  names: ReadonlyMap<string, string>,
): string {
  const provider = providers.find(providerId)
  const about = channelWords[channel]
  if (provider && provider.companyId !== null)
    return `The ${about} account ${names.get(providerId) ?? providerId} (${provider.kind})`
  return provider ? `The operator’s ${about} account` : `A ${about} account that was removed`
}
