/** Names and addresses without a space, names from right to left, and amounts of twelve digits, on a phone and on a large screen. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { Backend } from '../harness/app.ts'
import { eventually } from '../harness/wait.ts'
import { useDashboard } from './support.ts'

const long = 'Donaudampfschifffahrtselektrizitaetenhauptbetriebswerkbauunterbeamtengesellschaft'

/** Everything wider than the window, and cards and tables whose content does not fit. */
const tooWide = `[
  ...(document.documentElement.scrollWidth > window.innerWidth ? ['the page'] : []),
  ...[...document.querySelectorAll('main section, main section label')]
    .filter((part) => part.scrollWidth > part.clientWidth)
    .map((part) => part.innerText.slice(0, 40)),
  ...[...document.querySelectorAll('main table')]
    .filter((table) => table.checkVisibility() && table.offsetWidth > table.parentElement.clientWidth)
    .map((table) => table.caption.innerText),
]`

/** The choices of filters that are wider than their field, in the text size of touch screens. */
const choicesCutOff = `(() => {
  const pen = document.createElement('canvas').getContext('2d')
  return [...document.querySelectorAll('fieldset select')].flatMap((field) => {
    const { fontFamily, paddingLeft, paddingRight } = getComputedStyle(field)
    pen.font = '16px ' + fontFamily
    const room = field.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight)
    return [...field.options].filter(({ text }) => pen.measureText(text).width > room).map(({ text }) => text)
  })
})()`

async function settle(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await eventually(
    'the page is read',
    () => page.locator('main .animate-pulse').count(),
    (count) => count === 0,
  )
}

describe('names and sums of any length', () => {
  const use = useDashboard()
  let paths: readonly string[] = []

  before(async () => {
    const { manage, service } = use()
    const { company_id } = await manage<{ company_id: string }>('POST', '/companies', {
      name: long,
      balance: '999999999999',
    })
    const { app_id } = await manage<{ app_id: string }>('POST', `/companies/${company_id}/apps`, {
      name: long.slice(0, 60),
    })
    await manage('POST', `/companies/${company_id}/apps`, { name: 'تطبيق التحقق (Dubai) 1.0!' })
    const { key } = await manage<{ key: string }>('POST', `/apps/${app_id}/keys`, {
      kind: 'server',
      name: 'W'.repeat(60),
    })
    const backend = new Backend(service.caller, key)
    const { otp_id } = await backend.send({ recipient: 'a@a.subdomain.of.a.subdomain.of.example.com' })
    await backend.delivery(otp_id, 'delivered')
    paths = [
      ...['start', 'channels', 'keys', 'settings', 'verifications', 'overview'].map(
        (page) => `/a/${app_id}/${page}`,
      ),
      ...['apps', 'team', 'audit', 'settings', 'billing?tab=days'].map((page) => `/c/${company_id}/${page}`),
      '/operator/home',
      '/operator/companies',
    ]
  })

  for (const width of [360, 1_024, 1_280]) {
    it(`fit into a page of ${width} pixels`, async () => {
      const { visit, signInWithLink } = use()
      const visitor = await visit({ width, height: 740 })
      await signInWithLink(visitor)
      for (const path of paths) {
        await visitor.open(path)
        await settle(visitor.page)
        assert.deepEqual(await visitor.page.evaluate(tooWide), [], path)
      }
      assert.deepEqual(visitor.complaints, [])
    })
  }

  it('leave room on a phone for every choice by which events are filtered', async () => {
    const { visit, signInWithLink } = use()
    const visitor = await visit({ width: 375, height: 740 })
    await signInWithLink(visitor)
    await visitor.open(String(paths[0]).replace(/start$/, 'events'))
    await settle(visitor.page)
    assert.deepEqual(await visitor.page.evaluate(choicesCutOff), [])
  })

  it('have more room on a large screen', async () => {
    const { visit, signInWithLink } = use()
    const visitor = await visit({ width: 2_560, height: 1_300 })
    await signInWithLink(visitor)
    await visitor.open('/operator/companies')
    await settle(visitor.page)
    const width = await visitor.page.evaluate(`document.querySelector('main table').offsetWidth`)
    assert.ok(Number(width) > 1_400, `a table is ${width} px wide`)
  })
})
