/** The app and the company that the address names. The layout has loaded them before a page is shown. */
import type { AppAnswer, CompanyAnswer } from '@countersign/contract'
import { useSuspenseQuery } from '@tanstack/react-query'
import { queryOf } from './queries.ts'
import { type Permission, usePermission } from './session.ts'

export const appQuery = (appId: string) => queryOf('getApp', { params: { app_id: appId } })
export const companyQuery = (companyId: string) =>
  queryOf('getCompany', { params: { company_id: companyId } })
export const appsQuery = (companyId: string) => queryOf('listApps', { params: { company_id: companyId } })

export const useApp = (appId: string): AppAnswer => useSuspenseQuery(appQuery(appId)).data
export const useCompany = (companyId: string): CompanyAnswer => useSuspenseQuery(companyQuery(companyId)).data

/** Whether the person may change this app's settings, keys and endpoint. */
export const useMayChangeApp = (appId: string): Permission =>
  usePermission(useApp(appId).company_id, 'developer')
