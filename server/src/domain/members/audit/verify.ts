/** Checks whether the chains of the audit trail are intact, and finds where each breaks first. */
import type { CompanyId } from '../../../platform/ids.ts'
import type { Keyring } from '../../../platform/keyring.ts'
import { type ChainDependencies, isHeadOurs, macOf, sealOf } from './chain.ts'
import * as checks from './check-store.ts'
import * as store from './store.ts'

/** `position` is where the chain breaks. */
export interface ChainBreak {
  readonly position: number
  readonly auditId: string | null
  readonly what: string
}

export interface CheckedChain {
  /** Null for the installation's own chain. */
  readonly companyId: CompanyId | null
  readonly entries: number
  /** To be noted elsewhere: nothing inside the database shows that an older copy of it was restored. */
  readonly head: { readonly position: number; readonly mac: string } | null
  readonly broken: ChainBreak | null
}

const pageRows = 1_000

/** With `companyId` null, checks every chain. */
export async function verifyAudit(
  dependencies: ChainDependencies,
  companyId: CompanyId | null,
): Promise<CheckedChain[]> {
  const checked: CheckedChain[] = []
  const chainIds = companyId === null ? await checks.listChains(dependencies.database) : [companyId]
  for (const chainId of chainIds) checked.push(...(await verifyChain(dependencies, chainId)))
  // Where a chain breaks says more than the fact that it was replaced.
  const isBroken = (id: store.ChainId) => checked.some((each) => idOf(each) === id && each.broken !== null)
  const lost = (await findLost(dependencies, checked)).filter((id) => !isBroken(id))
  if (companyId !== null) {
    return checked.length === 0 || lost.includes(companyId) ? [gone(companyId)] : checked
  }
  return [...checked.filter((each) => !lost.includes(idOf(each))), ...lost.map(gone)]
}

const idOf = ({ companyId }: CheckedChain): store.ChainId => companyId ?? ''

/** Chains that are missing or were replaced. */
async function findLost(
  { database }: ChainDependencies,
  checked: readonly CheckedChain[],
): Promise<store.ChainId[]> {
  const isInstallationLost =
    // Making a company writes to the installation's chain first, so there must be one.
    (checked.length > 0 && checked.every((each) => each.companyId !== null)) ||
    (await checks.isInstallationForgotten(database))
  const lost = new Set([
    ...(await checks.findOrphans(database)),
    ...(await checks.findMissingChains(database)),
    ...(isInstallationLost ? ['' as const] : []),
  ])
  return [...lost]
}

const gone = (chainId: store.ChainId): CheckedChain => ({
  companyId: chainId || null,
  entries: 0,
  head: null,
  broken: {
    position: 0,
    auditId: null,
    what: 'there is no chain: nothing was ever recorded, or it was taken away and maybe begun anew',
  },
})

async function verifyChain(
  { database, keyring }: ChainDependencies,
  chainId: store.ChainId,
): Promise<CheckedChain[]> {
  const keys = keyring()
  return database.transaction(async (transaction) => {
    await checks.readInOneInstant(transaction)
    const tenant = transaction.of(chainId)
    const chain = await store.findChain(tenant)
    if (!chain) return []
    const { walked, broken } = await walk(tenant, keys, chain)
    return [
      {
        companyId: chain.companyId || null,
        entries: walked,
        head: { position: Number(chain.position), mac: chain.mac.toString('hex') },
        broken: checkEnds(keys, chain) ?? broken,
      },
    ]
  })
}

const breakAt = (position: bigint, what: string, auditId: string | null = null): ChainBreak => ({
  position: Number(position),
  auditId,
  what,
})

/** Walks row by row from the anchor to the head. */
async function walk(
  tenant: Parameters<typeof store.readEntries>[0],
  keys: Keyring,
  chain: store.ChainEnds,
): Promise<{ walked: number; broken: ChainBreak | null }> {
  const stray = await checks.findStray(tenant, chain)
  if (stray !== null)
    return { walked: 0, broken: breakAt(stray, 'an entry was inserted before the first one that is kept') }
  let before = { position: chain.anchorPosition, mac: chain.anchorMac, dataKey: 1 }
  let walked = 0
  for (;;) {
    const rows = await store.readEntries(tenant, before.position, pageRows)
    for (const row of rows) {
      const what = problemOf(keys, chain, before, row)
      if (what) return { walked, broken: what }
      before = { position: row.position, mac: row.mac, dataKey: row.dataKey }
      walked++
    }
    if (rows.length < pageRows) break
  }
  const isWhole = before.position === chain.position && before.mac.equals(chain.mac)
  return { walked, broken: isWhole ? null : breakAt(before.position + 1n, 'entries are missing at the end') }
}

/** What is wrong up to a position; null if the service has written all of it. */
export async function findBreakThrough(
  tenant: Parameters<typeof store.readEntries>[0],
  keys: Keyring,
  chain: store.ChainEnds,
  { position: through, rows: limit }: { readonly position: bigint; readonly rows: number },
): Promise<ChainBreak | null> {
  const broken = checkEnds(keys, chain)
  if (broken) return broken
  let before = { position: chain.anchorPosition, mac: chain.anchorMac, dataKey: 1 }
  for (const row of await store.readEntries(tenant, chain.anchorPosition, limit)) {
    if (row.position > through) return null
    const what = problemOf(keys, chain, before, row)
    if (what) return what
    before = { position: row.position, mac: row.mac, dataKey: row.dataKey }
  }
  return null
}

function problemOf(
  keys: Keyring,
  chain: store.ChainEnds,
  before: { readonly position: bigint; readonly mac: Buffer; readonly dataKey: number },
  row: store.ChainEntry,
): ChainBreak | null {
  if (row.position !== before.position + 1n) return breakAt(before.position + 1n, 'an entry is missing here')
  if (row.position > chain.position)
    return breakAt(row.position, 'an entry was added after the end', row.auditId)
  const isOurs =
    row.dataKey >= before.dataKey && keys.has(row.dataKey) && macOf(keys, before.mac, row).equals(row.mac)
  return isOurs
    ? null
    : breakAt(row.position, 'this entry was changed, or put in another’s place', row.auditId)
}

/** The head and the anchor must have been written by the service, or the rest proves nothing. */
function checkEnds(keys: Keyring, chain: store.ChainEnds): ChainBreak | null {
  const { companyId } = chain
  if (!isHeadOurs(keys, chain)) {
    return breakAt(chain.position, 'the record of where the chain ends was changed')
  }
  if (chain.anchorPosition === 0n && chain.anchorMac.length === 0) return null
  // The key of the anchor may be an older one than the head's by now.
  const isAnchored = keys.ids().some((id) =>
    sealOf(keys, 'anchor', {
      companyId,
      position: chain.anchorPosition,
      mac: chain.anchorMac,
      dataKey: id,
    }).equals(chain.anchorSeal),
  )
  return isAnchored ? null : breakAt(chain.anchorPosition, 'the record of where the chain begins was changed')
}
