/** The blocks that stand now, with their evidence; and how one is lifted. */
import { AppError } from '@countersign/contract'
import { type Database, type Tenant, timeNow } from '../../../platform/database.ts'
import type { AppId, CompanyId } from '../../../platform/ids.ts'
import type { Keyring } from '../../../platform/keyring.ts'
import { type AppRef, getApp, lockCompany } from '../../tenancy/index.ts'
import type { Debt } from './debt.ts'
import { noDebt } from './debt.ts'
import { encodeDebt } from './debt-text.ts'
import { debtsIn, withDebt } from './debts-in-row.ts'
import { holdMs, liftedMs, type PlaceLevel } from './levels.ts'

export interface BlockDependencies {
  readonly database: Database
  readonly keyring: () => Keyring
}

export interface Block {
  readonly blockId: string
  readonly level: PlaceLevel
  readonly label: string
  readonly isHold: boolean
  readonly numbers: number
  readonly approved: number
  readonly strikes: number
  readonly startedAtMs: number
  readonly untilMs: number
}

interface FoundBlock {
  /** The app, or empty for what all apps of the company share. */
  readonly scope: string
  readonly rowKey: string
  readonly part: string
  /** The whole row. */
  readonly state: string
  readonly debt: Debt
  readonly block: Block
  /** When it was found. */
  readonly nowMs: number
}

interface BlockRow extends Record<string, unknown> {
  readonly app_id: string
  readonly row_key: string
  readonly state: string
  readonly now_ms: bigint
}

/** The context of a sealed label. */
export const labelContext = 'label of a block'
const mostListed = 1_000
/** So that the many blocks of one app do not hide those of others. */
const mostOfOne = 100

export async function listBlocks({ database, keyring }: BlockDependencies, app: AppRef): Promise<Block[]> {
  const { companyId, appId } = await getApp({ database }, app)
  return (await findBlocks(database.of(companyId), keyring(), appId)).map(({ block }) => block)
}

/** Of every company; `scope` is the app, or empty for what all apps of the company share. */
export async function listBlocksOfAll({
  database,
  keyring,
}: BlockDependencies): Promise<(Block & { readonly companyId: CompanyId; readonly scope: string })[]> {
  const found = await database.query<BlockRow & { readonly company_id: CompanyId }>({
    text: `select found.* from (select distinct company_id, app_id from pumping_states /* every company: what operators see of all */
                                  where blocked_until > ${timeNow} order by company_id, app_id limit ${mostListed}) place
            cross join lateral (select company_id, ${blockColumns} from pumping_states
                                 where company_id = place.company_id and app_id = place.app_id and blocked_until > ${timeNow}
                                 order by blocked_until desc, row_key limit ${mostOfOne}) found`,
  })
  return found.rows.flatMap((row) =>
    blocksIn(row, keyring()).map(({ block, scope }) => ({ ...block, companyId: row.company_id, scope })),
  )
}

export async function liftBlock(
  { database, keyring }: BlockDependencies,
  app: AppRef,
  blockId: string,
): Promise<Block> {
  const { companyId, appId } = await getApp({ database }, app)
  return database.transaction(async (transaction) => {
    const tenant = transaction.of(companyId)
    // The company first, as in a batch: nothing of this app is being decided meanwhile.
    await lockCompany(tenant)
    const blocks = await findBlocks(tenant, keyring(), appId)
    const found = blocks.find(({ block }) => block.blockId === blockId)
    if (!found) throw new AppError('NotFoundError', 'There is no such block, or it is over.')
    await forgive(tenant, found)
    return found.block
  })
}

async function findBlocks(tenant: Tenant, keyring: Keyring, appId: AppId): Promise<FoundBlock[]> {
  const found = await tenant.query<BlockRow>({
    text: `select ${blockColumns}
             from pumping_states where company_id = $1 and app_id in ($2, '') and blocked_until > ${timeNow}
            order by blocked_until desc, row_key limit ${mostListed}`,
    values: [appId],
  })
  return found.rows.flatMap((row) => blocksIn(row, keyring))
}

const blockColumns =
  'app_id, row_key, state, (extract(epoch from clock_timestamp()) * 1000)::bigint as now_ms'

/** `blocked_until` only finds rows: it is not lowered when a block ends early. Whether one stands is in the debts. */
function blocksIn({ app_id, row_key, state, now_ms }: BlockRow, keyring: Keyring): FoundBlock[] {
  return debtsIn(state).flatMap(({ part, debt, name }) => {
    const untilMs = Math.max(debt.blockedUntilMs, debt.heldUntilMs)
    if (!name || untilMs <= Number(now_ms)) return []
    const isHold = debt.blockedUntilMs < debt.heldUntilMs
    const block: Block = {
      blockId: name.blockId,
      level: levelOf(row_key, part),
      label: keyring.open(Buffer.from(name.label, 'base64url'), labelContext),
      isHold,
      numbers: debt.numbers,
      approved: debt.approved,
      strikes: debt.strikes,
      startedAtMs: isHold ? debt.heldUntilMs - holdMs : debt.struckAtMs,
      untilMs,
    }
    return [{ scope: app_id, rowKey: row_key, part, state, debt, block, nowMs: Number(now_ms) }]
  })
}

function levelOf(rowKey: string, part: string): PlaceLevel {
  const [kind] = rowKey.split(':')
  if (kind === 'range') return part.length === 2 ? 'r100' : part.length === 1 ? 'r1k' : 'r10k'
  if (kind === 'carrier') return part === '' ? 'carrier' : 'known_carrier'
  if (kind === 'country') return part === '' ? 'country' : 'known_country'
  return 'ip'
}

/** Keeps what is usual there, and forgets the debt and all that came of it. For a day, new debt closes nothing. */
async function forgive(
  tenant: Tenant,
  { scope, rowKey, part, state, debt, block, nowMs }: FoundBlock,
): Promise<void> {
  const { atMs, usualNumbers, usualApproved, sinceMs, delayMs } = debt
  const liftedUntilMs = nowMs + liftedMs
  const forgiven = encodeDebt(block.level, {
    ...noDebt,
    atMs,
    usualNumbers,
    usualApproved,
    sinceMs,
    delayMs,
    liftedUntilMs,
  })
  await tenant.query({
    // The debt might have expired before the day is over.
    text: `update pumping_states set state = $4, expires_at = greatest(expires_at, $5)
            where company_id = $1 and app_id = $2 and row_key = $3`,
    values: [scope, rowKey, withDebt(state, part, forgiven), new Date(liftedUntilMs)],
  })
}
