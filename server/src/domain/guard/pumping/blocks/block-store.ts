/** The blocks that are in force now, read from the rows of debts. */
import { type Queryable, type Tenant, timeNow } from '../../../../platform/database.ts'
import type { AppId, CompanyId } from '../../../../platform/ids.ts'
import type { Keyring } from '../../../../platform/keyring.ts'
import type { Debt } from '../debt/debt.ts'
import { holdMs, type PlaceLevel } from '../levels.ts'
import { shownPrefix } from '../place.ts'
import { decodeDebt } from '../stored/debt-text.ts'
import { debtsIn } from '../stored/debts-in-row.ts'
import type { BlockName } from '../stored/state-text.ts'

export interface Block {
  readonly blockId: string
  readonly level: PlaceLevel
  readonly label: string
  /** Null for a range or an address. */
  readonly country: string | null
  /** The first digits of a range; null for other places. */
  readonly prefix: string | null
  readonly isHold: boolean
  readonly numbers: number
  readonly approved: number
  readonly strikes: number
  readonly startedAtMs: number
  readonly untilMs: number
}

export interface FoundBlock {
  /** The app's id, or empty for a state that all apps of the company share. */
  readonly scope: string
  readonly rowKey: string
  readonly part: string
  /** The whole row as it is stored. */
  readonly state: string
  readonly debt: Debt
  readonly name: BlockName
  readonly block: Block
  /** When the row was read. */
  readonly nowMs: number
}

interface BlockRow extends Record<string, unknown> {
  readonly app_id: string
  readonly row_key: string
  readonly state: string
  readonly now_ms: bigint
}

/** The context that a block's label is sealed with. */
export const labelContext = 'label of a block'
const mostListed = 1_000
/** The most blocks of one app that are listed, so that they do not hide those of others. */
const mostOfOne = 100

export async function findBlocksOfAll(
  queryable: Queryable,
  keyring: Keyring,
): Promise<(FoundBlock & { readonly companyId: CompanyId })[]> {
  const found = await queryable.query<BlockRow & { readonly company_id: CompanyId }>({
    text: `select found.* from (select distinct company_id, app_id from pumping_states /* every company: what operators see of all */
                                  where blocked_until > ${timeNow} order by company_id, app_id limit ${mostListed}) place
            cross join lateral (select company_id, ${blockColumns} from pumping_states
                                 where company_id = place.company_id and app_id = place.app_id and blocked_until > ${timeNow}
                                 order by blocked_until desc, row_key limit ${mostOfOne}) found`,
  })
  return found.rows.flatMap((row) =>
    blocksIn(row, keyring).map((block) => ({ ...block, companyId: row.company_id })),
  )
}

export async function findBlocks(tenant: Tenant, keyring: Keyring, appId: AppId): Promise<FoundBlock[]> {
  return (await findBlockRows(tenant, appId)).flatMap((row) => blocksIn(row, keyring))
}

/** Blocks that somebody has lifted and that would still stand: each as it was, and `since`, what is owed since. */
export async function findLifted(
  tenant: Tenant,
  keyring: Keyring,
  appId: AppId,
): Promise<(FoundBlock & { readonly since: Debt })[]> {
  return (await findBlockRows(tenant, appId)).flatMap((row) =>
    debtsIn(row.state).flatMap(({ part, debt, name }) =>
      name?.lifted && debt.liftedUntilMs > Number(row.now_ms)
        ? foundIn(row, { part, debt: decodeDebt(name.lifted), name }, keyring).map((found) => ({
            ...found,
            since: debt,
          }))
        : [],
    ),
  )
}

async function findBlockRows(tenant: Tenant, appId: AppId): Promise<BlockRow[]> {
  const found = await tenant.query<BlockRow>({
    text: `select ${blockColumns}
             from pumping_states where company_id = $1 and app_id in ($2, '') and blocked_until > ${timeNow}
            order by blocked_until desc, row_key limit ${mostListed}`,
    values: [appId],
  })
  return found.rows
}

const blockColumns =
  'app_id, row_key, state, (extract(epoch from clock_timestamp()) * 1000)::bigint as now_ms'

/** `blocked_until` only finds rows: it is not lowered when a block ends early. The debts tell which are in force. */
const blocksIn = (row: BlockRow, keyring: Keyring): FoundBlock[] =>
  debtsIn(row.state).flatMap(({ part, debt, name }) =>
    name ? foundIn(row, { part, debt, name }, keyring) : [],
  )

function foundIn(
  { app_id, row_key, state, now_ms }: BlockRow,
  { part, debt, name }: Pick<FoundBlock, 'part' | 'debt' | 'name'>,
  keyring: Keyring,
): FoundBlock[] {
  const untilMs = Math.max(debt.blockedUntilMs, debt.heldUntilMs)
  if (untilMs <= Number(now_ms)) return []
  const isHold = debt.blockedUntilMs < debt.heldUntilMs
  const block: Block = {
    blockId: name.blockId,
    level: levelOf(row_key, part),
    ...placeIn(row_key, keyring.open(Buffer.from(name.label, 'base64url'), labelContext)),
    isHold,
    numbers: debt.numbers,
    approved: debt.approved,
    strikes: debt.strikes,
    startedAtMs: isHold ? debt.heldUntilMs - holdMs : debt.struckAtMs,
    untilMs,
  }
  return [{ scope: app_id, rowKey: row_key, part, state, debt, name, block, nowMs: Number(now_ms) }]
}

function placeIn(rowKey: string, label: string): Pick<Block, 'label' | 'country' | 'prefix'> {
  const [kind, region = null] = rowKey.split(':')
  const isWide = kind === 'carrier' || kind === 'country'
  return { label, country: isWide ? region : null, prefix: kind === 'range' ? shownPrefix(label) : null }
}

function levelOf(rowKey: string, part: string): PlaceLevel {
  const [kind] = rowKey.split(':')
  if (kind === 'range') return part.length === 2 ? 'r100' : part.length === 1 ? 'r1k' : 'r10k'
  if (kind === 'carrier') return part === '' ? 'carrier' : 'known_carrier'
  if (kind === 'country') return part === '' ? 'country' : 'known_country'
  return 'ip'
}
