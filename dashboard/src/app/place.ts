/** Which company and app the person is in, also on pages whose address names neither. */
import type { AppAnswer } from '@countersign/contract'
import { type QueryClient, useQuery } from '@tanstack/react-query'
import { redirect, useParams } from '@tanstack/react-router'
import { isUnanswered } from '#lib/api-error.ts'
import { appQuery, appsQuery, companyQuery } from '#lib/app.ts'
import { queryOf } from '#lib/queries.ts'
import { meQuery, useMe } from '#lib/session.ts'
import { readStored, writeStored } from '#lib/storage.ts'

const lastApp = 'app'
const lastAppOf = (companyId: string) => `app.${companyId}`

export function rememberApp({ app_id, company_id }: AppAnswer): void {
  writeStored(lastApp, app_id)
  writeStored(lastAppOf(company_id), app_id)
}

export interface Place {
  readonly company: { readonly company_id: string; readonly name: string } | null
  readonly app: { readonly app_id: string; readonly name: string } | null
  readonly apps: readonly { readonly app_id: string; readonly name: string }[]
  /** False while one of them is still being read. */
  readonly isRead: boolean
}

export function usePlace(): Place {
  const { appId, companyId } = useParams({ strict: false })
  const me = useMe()
  const remembered = appId ?? (companyId ? null : readStored(lastApp))
  const named = useQuery({ ...appQuery(remembered ?? ''), enabled: remembered !== null, retry: false })
  const wanted = useQuery({
    ...companyQuery(companyId ?? ''),
    enabled: companyId !== undefined,
    retry: false,
  })
  // The company in the address may not exist: the links then lead back to the person's own.
  const ofAddress = wanted.isError && !isUnanswered(wanted.error) ? undefined : companyId
  const own = me.companies.find(({ needs_passkey }) => !needs_passkey)
  const ofCompany = ofAddress ?? named.data?.company_id ?? own?.company_id ?? null
  const company = useQuery({ ...companyQuery(ofCompany ?? ''), enabled: ofCompany !== null })
  const listed = useQuery({ ...appsQuery(ofCompany ?? ''), enabled: ofCompany !== null })
  const apps = listed.data?.apps ?? []
  const last = ofCompany ? readStored(lastAppOf(ofCompany)) : null
  const app = named.data ?? apps.find((one) => one.app_id === last) ?? apps[0] ?? null
  const isRead = ![named, company, listed].some(({ isLoading }) => isLoading)
  return { company: company.data ?? null, app, apps, isRead }
}

/** Where the dashboard opens: the app used last, else the first one, else the page that comes before having an app. */
export async function findHome(client: QueryClient) {
  const me = await client.ensureQueryData(meQuery)
  const last = readStored(lastApp)
  const known = last ? await client.ensureQueryData(appQuery(last)).catch(() => null) : null
  if (known) return toApp(client, known.app_id)
  for (const { company_id } of me.companies.filter(({ needs_passkey }) => !needs_passkey)) {
    const { apps } = await client.ensureQueryData(appsQuery(company_id))
    const [first] = apps
    if (first) return toApp(client, first.app_id)
  }
  const [company] = me.companies
  if (company?.needs_passkey) return redirect({ to: '/passkey' })
  if (company) {
    return redirect({
      to: '/c/$companyId/apps',
      params: { companyId: company.company_id },
      search: { open: 'create-app' },
    })
  }
  return me.is_operator ? redirect({ to: '/operator/companies' }) : null
}

/** An app that has never sent anything has nothing to show yet, so it opens on its start page. */
async function toApp(client: QueryClient, appId: string) {
  const params = { appId }
  const newest = queryOf('listVerifications', { params: { app_id: appId }, query: { limit: 1 } })
  const answer = await client.fetchQuery(newest).catch(() => null)
  const isEmpty = answer?.verifications.length === 0 && answer.next_cursor === null
  return isEmpty
    ? redirect({ to: '/a/$appId/start', params })
    : redirect({ to: '/a/$appId/overview', params })
}
