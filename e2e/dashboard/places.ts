/** The pages of the dashboard, for tests that look at each of them. */
import type { Page } from 'playwright-core'
import { eventually } from '../harness/wait.ts'

export interface Ids {
  readonly app_id: string
  readonly company_id: string
  readonly otp_id: string
}
type Place = readonly [title: string, path: (ids: Ids) => string]
const ofApp = (page: string): Place => [page, ({ app_id }) => `/a/${app_id}/${page}`]
const ofCompany = (page: string): Place => [`company-${page}`, ({ company_id }) => `/c/${company_id}/${page}`]
const ofOperator = (page: string): Place => [`operator-${page}`, () => `/operator/${page}`]
export const places: readonly Place[] = [
  ...[
    'overview',
    'start',
    'verifications',
    'errors',
    'keys',
    'events',
    'webhooks',
    'routing',
    'channels',
    'guard',
    'settings',
  ].map(ofApp),
  ['refused', ({ app_id }) => `/a/${app_id}/verifications?view=refused`],
  ['guard-history', ({ app_id }) => `/a/${app_id}/guard?tab=history`],
  ['billing-days', ({ company_id }) => `/c/${company_id}/billing?tab=days`],
  ['rules', ({ app_id }) => `/a/${app_id}/guard?tab=rules`],
  ['verification', ({ app_id, otp_id }) => `/a/${app_id}/verifications/${otp_id}`],
  ...['apps', 'search', 'billing', 'team', 'alerts', 'audit', 'settings'].map(ofCompany),
  ...['home', 'alerts', 'companies', 'providers', 'prices', 'operators', 'audit'].map(ofOperator),
  ['account', () => '/account'],
  ['not-found', () => '/a/app_nothing/overview'],
]

/** Waits until no skeleton pulses, which means that everything has loaded. */
export const untilRead = (page: Page, title: string) =>
  eventually(
    `${title} is read`,
    () => page.locator('main .animate-pulse').count(),
    (count) => count === 0,
  )

/** Navigates as a link of the dashboard does. A reload takes longer, above all with axe. */
export async function follow(page: Page, path: string): Promise<void> {
  // Every page in the list has another heading than the page before.
  await page.evaluate(`document.querySelector('h1').dataset.isOfBefore = ''
    history.pushState(null, '', ${JSON.stringify(`/dashboard${path}`)})`)
  await page.locator('h1:not([data-is-of-before])').waitFor({ state: 'attached' })
}
