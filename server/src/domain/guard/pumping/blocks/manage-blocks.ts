/** The blocks in force, with their evidence; how one is lifted, and how a lifted one is closed again. */
import { AppError } from '@countersign/contract'
import type { Database, Tenant } from '../../../../platform/database.ts'
import type { AppId, CompanyId } from '../../../../platform/ids.ts'
import type { Keyring } from '../../../../platform/keyring.ts'
import { type AppRef, getApp, lockCompany } from '../../../tenancy/index.ts'
import { advance, type Debt, noDebt } from '../debt/debt.ts'
import { levelRules, liftedMs } from '../levels.ts'
import { encodeDebt } from '../stored/debt-text.ts'
import { withDebt } from '../stored/debts-in-row.ts'
import { rewriteRow } from '../stored/row-store.ts'
import { type Block, type FoundBlock, findBlocks, findBlocksOfAll, findLifted } from './block-store.ts'

export interface BlockDependencies {
  readonly database: Database
  readonly keyring: () => Keyring
}

export async function listBlocks({ database, keyring }: BlockDependencies, app: AppRef): Promise<Block[]> {
  const { companyId, appId } = await getApp({ database }, app)
  return (await findBlocks(database.of(companyId), keyring(), appId)).map(({ block }) => block)
}

/** The blocks of every company; `scope` is the app, or empty for a place that all apps of the company share. */
export async function listBlocksOfAll({
  database,
  keyring,
}: BlockDependencies): Promise<(Block & { readonly companyId: CompanyId; readonly scope: string })[]> {
  const found = await findBlocksOfAll(database, keyring())
  return found.map(({ block, companyId, scope }) => ({ ...block, companyId, scope }))
}

export const liftBlock = (dependencies: BlockDependencies, app: AppRef, blockId: string): Promise<Block> =>
  changeBlock(dependencies, app, async (tenant, keyring, appId) => {
    const blocks = await findBlocks(tenant, keyring, appId)
    const found = blocks.find(({ block }) => block.blockId === blockId)
    if (!found) throw new AppError('NotFoundError', 'There is no such block, or it is over.')
    await forgive(tenant, found)
    return found.block
  })

/** Undoes a lift, as long as the block would still stand: what the place was closed for is owed again. */
export const restoreBlock = (dependencies: BlockDependencies, app: AppRef, blockId: string): Promise<Block> =>
  changeBlock(dependencies, app, async (tenant, keyring, appId) => {
    const lifted = await findLifted(tenant, keyring, appId)
    const found = lifted.find(({ block }) => block.blockId === blockId)
    if (!found) throw new AppError('NotFoundError', 'No such block was lifted, or it would be over by now.')
    const { block, debt, since, part, name, state } = found
    // The debt has faded since the lift, as it would have under the block.
    const before = advance(debt, levelRules[block.level], since.atMs)
    const closed = encodeDebt(block.level, closedAgain(before, since))
    const { lifted: _, ...known } = name
    await rewriteRow(tenant, found, withDebt(state, part, closed, known), block.untilMs)
    return block
  })

async function changeBlock(
  { database, keyring }: BlockDependencies,
  app: AppRef,
  change: (tenant: Tenant, keyring: Keyring, appId: AppId) => Promise<Block>,
): Promise<Block> {
  const { companyId, appId } = await getApp({ database }, app)
  return database.transaction(async (transaction) => {
    const tenant = transaction.of(companyId)
    // The company is locked first, as in a batch, so that nothing of this app is decided meanwhile.
    await lockCompany(tenant)
    return change(tenant, keyring(), appId)
  })
}

/** The barrier as it was, with what was counted since the lift. */
const closedAgain = (before: Debt, since: Debt): Debt => ({
  ...since,
  debt: Math.max(before.debt, since.debt),
  numbers: before.numbers + since.numbers,
  approved: before.approved + since.approved,
  heldUntilMs: before.heldUntilMs,
  blockedUntilMs: before.blockedUntilMs,
  strikes: before.strikes,
  struckAtMs: before.struckAtMs,
  limit: before.limit,
  threshold: before.threshold,
  isForMissing: before.isForMissing,
  scoutAtMs: before.scoutAtMs,
  scoutGapMs: before.scoutGapMs,
  mostAsked: before.mostAsked,
  liftedUntilMs: 0,
})

/** Forgets the debt and its consequences, but keeps what is usual there. For a day, new debt closes nothing. */
async function forgive(tenant: Tenant, found: FoundBlock): Promise<void> {
  const { block, nowMs } = found
  const { atMs, usualNumbers, usualApproved, sinceMs, delayMs, isSimulated } = found.debt
  const liftedUntilMs = nowMs + liftedMs
  const forgiven = encodeDebt(block.level, {
    ...noDebt,
    atMs,
    usualNumbers,
    usualApproved,
    sinceMs,
    delayMs,
    isSimulated,
    liftedUntilMs,
  })
  const name = { ...found.name, lifted: encodeDebt(block.level, found.debt) }
  // Kept until the lift is over: the debt alone might expire sooner.
  await rewriteRow(tenant, found, withDebt(found.state, found.part, forgiven, name), liftedUntilMs)
}
