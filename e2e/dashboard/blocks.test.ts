/** The guard's page: each block can be lifted, declared or made permanent with one click, and that can be undone. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { takePicture, useDashboard, type Visitor, visitAsOperator } from './support.ts'

describe('blocks of the guard', () => {
  const use = useDashboard()
  let visitor: Visitor

  before(async () => {
    ;({ visitor } = await visitAsOperator(use()))
  })

  it('lifts a closed range, declares it or closes it for good with one click, and takes each back with another', async () => {
    const { page, open } = visitor
    const { service, manage } = use()
    const app = await service.createApp({ pumping: { mode: 'enforce' } })
    const send = (last: number) =>
      app.attemptSend({ recipient: `+4474008811${last}`, client_ip: `86.12.${last}.7` })
    for (let last = 10; last < 34; last++) await send(last)
    assert.equal((await send(40)).status, 429)
    const answer = await manage<{ blocks: object[] }>('GET', `/apps/${app.appId}/blocks`)
    await open(`/a/${app.appId}/guard`)
    const active = page.getByRole('region', { name: 'Active blocks' })
    const notice = active.getByRole('status')
    const act = async (button: string, said: RegExp) => {
      await page.getByRole('button', { name: button }).click()
      await notice.filter({ hasText: said }).and(page.locator(':focus')).waitFor()
      await page.getByRole('button', { name: button }).waitFor({ state: 'detached' })
    }
    // The notice has the focus, and Tab leads from it to its button.
    const takeBack = async (button: string) => {
      await page.keyboard.press('Tab')
      await notice.getByRole('button', { name: 'Undo' }).and(page.locator(':focus')).press('Enter')
      await notice.filter({ hasText: 'Undone.' }).and(page.locator(':focus')).waitFor()
      await page.getByRole('button', { name: button }).waitFor()
    }
    const blocked = async () =>
      (await manage<{ blocks: object[] }>('GET', `/apps/${app.appId}/blocks`)).blocks
    await act(
      'Lift the block on +44740088xxxx',
      /^Lifted: text messages go to \+44740088xxxx again, for a day/,
    )
    assert.deepEqual(await blocked(), [])
    await takePicture(page, 'guard-lifted')
    // It can be taken back after a look at another tab too, and does not take the focus from the tab.
    await page.getByRole('tab', { name: 'Limits' }).click()
    await active.waitFor({ state: 'detached' })
    const pumping = page.getByRole('tab', { name: 'Pumping' })
    await pumping.click()
    await notice.filter({ hasText: /^Lifted/ }).waitFor()
    await pumping.and(page.locator(':focus')).waitFor()
    await notice.focus()
    await takeBack('Lift the block on +44740088xxxx')
    assert.deepEqual(await blocked(), answer.blocks)
    assert.equal((await send(42)).status, 429)

    const safe = async () =>
      (await manage<{ pumping: { safe_prefixes: string[] } }>('GET', `/apps/${app.appId}`)).pumping
        .safe_prefixes
    const declare = 'Declare +44740088xxxx'
    await act(declare, /^Declared: numbers that start with \+44740088 are never held back/)
    assert.deepEqual(await safe(), ['+44740088'])
    await takeBack(declare)
    assert.deepEqual(await safe(), [])
    await act(declare, /^Declared/)
    assert.equal((await send(40)).status, 200)

    const never = 'Never here: +44740088xxxx'
    await act(never, /^Blocked: codes are no longer sent to numbers that start with \+44740088/)
    const { status, body } = await send(41)
    assert.deepEqual([status, body.error?.type], [403, 'RuleBlockedError'])
    await takeBack(never)
    assert.equal((await send(43)).status, 200)

    // Among many blocks the widest come first, and only some are shown, so that the rest of the page stays near.
    const block = (kind: string, id: string) => ({ ...answer.blocks[0], kind, block_id: id })
    const held = Array.from({ length: 11 }, (_, index) => block('hold', `held ${index}`))
    const country = { level: 'country', place: 'GB', country: 'GB', prefix: null }
    const blocks = [...held, { ...block('block', 'blocked'), ...country }]
    await page.route('**/blocks', (route) => route.fulfill({ json: { blocks } }))
    await open(`/a/${app.appId}/guard`)
    await active.getByText('8 of 12 blocks').waitFor()
    assert.match((await active.getByRole('row').nth(1).textContent()) ?? '', /Blocked/)
    assert.equal(await active.getByRole('row').count(), 9)
    await active.getByRole('button', { name: 'Show all' }).press('Enter')
    await active.getByText('12 blocks', { exact: true }).waitFor()
    assert.equal(await active.getByRole('row').count(), 13)
    await active.getByRole('button', { name: 'Show fewer' }).and(page.locator(':focus')).waitFor()
    // By keyboard. An action that was already taken is not offered again, although the block is still listed.
    const inCountry = async () => {
      const { geo, pumping } = await manage<{
        geo: { countries: string[] }
        pumping: { declared_countries: string[] }
      }>('GET', `/apps/${app.appId}`)
      return [geo.countries, pumping.declared_countries]
    }
    for (const [button, after] of [
      ['Never here: United Kingdom', [['GB'], []]],
      ['Declare United Kingdom', [[], ['GB']]],
    ] as const) {
      await active.getByRole('button', { name: button }).press('Enter')
      await notice.and(page.locator(':focus')).waitFor()
      assert.equal(await active.getByRole('button', { name: button }).count(), 0)
      assert.deepEqual(await inCountry(), after)
      await takeBack(button)
      assert.deepEqual(await inCountry(), [[], []])
    }
    await page.unroute('**/blocks')
    assert.deepEqual(visitor.complaints, [])
  })

  it('keep what each of several quick clicks has said, and say when no country is left', async () => {
    const { page, open } = visitor
    const { service, manage } = use()
    const app = await service.createApp({ geo: { mode: 'allow', countries: ['AZ', 'GB', 'KE'] } })
    const blocks = ['AZ', 'GB', 'KE'].map((country) => ({
      block_id: `blk_${country}`,
      level: 'country',
      place: country,
      country,
      prefix: null,
      kind: 'block',
      numbers: 20,
      approvals: 0,
      strikes: 1,
      started_at: new Date().toISOString(),
      until: new Date(Date.now() + 3_600_000).toISOString(),
    }))
    await page.route('**/blocks', (route) => route.fulfill({ json: { blocks } }))
    await open(`/a/${app.appId}/guard`)
    const active = page.getByRole('region', { name: 'Active blocks' })
    const settings = () =>
      manage<{ geo: { countries: string[] }; pumping: { declared_countries: string[] } }>(
        'GET',
        `/apps/${app.appId}`,
      )
    const declare = active.getByRole('button', { name: 'Declare ' })
    await declare.nth(2).waitFor()
    // All are clicked before any is answered. Playwright's own click would wait for the page to be stable.
    await declare.evaluateAll((all) => {
      for (const one of all) (one as unknown as { click(): void }).click()
    })
    await declare.first().waitFor({ state: 'detached' })
    assert.deepEqual((await settings()).pumping.declared_countries.toSorted(), ['AZ', 'GB', 'KE'])

    for (const name of ['Azerbaijan', 'Kenya', 'United Kingdom']) {
      await active.getByRole('button', { name: `Never here: ${name}` }).click()
      await active.getByRole('status').getByText(`Blocked: codes are no longer sent to ${name}`).waitFor()
    }
    await active.getByRole('status').getByText('No country is left on the list').waitFor()
    assert.deepEqual((await settings()).geo.countries, [])
    await page.unroute('**/blocks')
    assert.deepEqual(visitor.complaints, [])
  })
})
