import { AppError, type CompanyAnswer } from '@countersign/contract'
import {
  creditCompany,
  formatMicros,
  getCompany,
  listLedger,
  openCompany,
  type ReadPrices,
  setPrices,
} from '../../domain/billing/index.ts'
import { closeCompany, listMemberships } from '../../domain/members/index.ts'
import { type Company, changeCompany, listCompanies } from '../../domain/tenancy/index.ts'
import { eraseRecipient } from '../../domain/verification/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database.ts'
import type { CompanyId } from '../../platform/ids.ts'
import type { Keyring } from '../../platform/keyring.ts'
import { type Actor, isOperator } from '../principal.ts'
import { isHidden } from '../proven.ts'
import { type Route, route } from '../route.ts'
import { pageOf } from './page.ts'

export interface CompanyDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly keyring: () => Keyring
  readonly prices: ReadPrices
  /** Clears the cache of this node, so that it sees its own changes before the next poll. */
  readonly forget: () => void
}

export function companyRoutes(dependencies: CompanyDependencies): Route[] {
  return [
    route('createCompany', ({ body }, _actor, once) => {
      const wanted = { name: body.name, metered: body.metered ?? true, balance: body.balance ?? '0' }
      return once(async (database) => companyAnswer(await openCompany({ ...dependencies, database }, wanted)))
    }),
    route('listCompanies', async ({ query }, actor) => {
      const { rows, nextCursor } = await listCompanies(dependencies, {
        companyIds: await companiesOf(dependencies, actor),
        isClosed: query.closed === 'true' && isOperator(actor),
        search: query.search ?? null,
        ...pageOf(query),
      })
      return { companies: rows.map(companyAnswer), next_cursor: nextCursor }
    }),
    route('updateCompany', async ({ scope, body }, actor) => {
      if (body.metered !== undefined && !isOperator(actor)) {
        throw new AppError('ForbiddenError', 'Whether a company is metered is for operators only.')
      }
      const change = { name: body.name ?? null, metered: body.metered ?? null }
      return companyAnswer(await changeCompany(dependencies, scope.companyId, change))
    }),
    route('closeCompany', async ({ scope }) => {
      const closedAt = await closeCompany(dependencies, scope.companyId)
      dependencies.forget()
      return { company_id: scope.companyId, closed_at: closedAt.toISOString() }
    }),
    route('getCompany', async ({ scope }) => companyAnswer(await getCompany(dependencies, scope.companyId))),
    route('creditCompany', ({ scope, body }, _actor, once) => {
      const credit = { amount: body.amount, note: body.note ?? null }
      return once(async (database) => ({
        balance: formatMicros(await creditCompany({ ...dependencies, database }, scope.companyId, credit)),
      }))
    }),
    route('listLedger', async ({ scope, query }) => {
      const { rows, nextCursor } = await listLedger(dependencies, scope.companyId, pageOf(query))
      return {
        entries: rows.map((entry) => ({
          entry_id: entry.entryId,
          kind: entry.kind,
          amount: formatMicros(entry.amountMicros),
          otp_id: entry.otpId,
          note: entry.note,
          created_at: entry.createdAt.toISOString(),
        })),
        next_cursor: nextCursor,
      }
    }),
    route('eraseRecipient', async ({ scope, body }) => ({
      verifications: await eraseRecipient(dependencies, scope.companyId, {
        recipient: body.recipient,
        country: body.country ?? null,
      }),
    })),
    route('getPrices', () => dependencies.prices()),
    route('putPrices', async ({ body }) => {
      const book = await setPrices(dependencies, body)
      dependencies.forget()
      return book
    }),
  ]
}

/** Null means all companies. */
async function companiesOf({ database }: CompanyDependencies, actor: Actor): Promise<CompanyId[] | null> {
  if (actor.kind === 'token' || actor.person.isOperator) return null
  const memberships = await listMemberships({ database }, actor.person.personId)
  return memberships.filter((each) => !isHidden(actor, each)).map(({ companyId }) => companyId)
}

const companyAnswer = (company: Company): CompanyAnswer => ({
  company_id: company.companyId,
  name: company.name,
  balance: formatMicros(company.balanceMicros),
  metered: company.metered,
  created_at: company.createdAt.toISOString(),
  closed_at: company.closedAt?.toISOString() ?? null,
})
