/** The dashboard as some people have to use it: zoomed to 400 %, in the colours of their system, and on paper. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Locator } from 'playwright-core'
import { findingsOn } from './axe.ts'
import { useDashboard, type Visitor, visitAsOperator } from './support.ts'

/** The size of a 1280 by 1024 window at a zoom of 400 %. */
const enlarged = { width: 320, height: 256 }

/** Globals of the browser: tests are not compiled with the DOM types. */
declare const document: { readonly activeElement: unknown }
declare const getComputedStyle: (
  node: unknown,
) => Readonly<Record<'backgroundColor' | 'borderBottomColor' | 'color' | 'overflow', string>>

const backgroundOf = (element: Locator) => element.evaluate((node) => getComputedStyle(node).backgroundColor)

/** The contrast ratio as WCAG 2 defines it, from 1 to 21. */
function contrastOf(one: string, other: string): number {
  const luminance = (colour: string) => {
    const [red = 0, green = 0, blue = 0] = (colour.match(/\d+/g) ?? []).map((part) => {
      const share = Number(part) / 255
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((left, right) => left - right)
  return (light + 0.05) / (dark + 0.05)
}

/** Whether the centre of the focused element is visible, with nothing over it. */
const isFocusSeen = `(() => {
  const { left, top, width, height } = document.activeElement.getBoundingClientRect()
  const there = document.elementFromPoint(left + width / 2, top + height / 2)
  return there !== null && (document.activeElement.contains(there) || there.contains(document.activeElement))
})()`

describe('the dashboard under other conditions', () => {
  const use = useDashboard()
  let visitor: Visitor
  let appId: string
  let companyId: string

  before(async () => {
    ;({ visitor, appId, companyId } = await visitAsOperator(use()))
  })

  it('shows what has the focus in a small window, to whoever goes back through a page', async () => {
    const { page, open } = visitor
    await page.setViewportSize(enlarged)
    await open(`/a/${appId}/guard?tab=limits`)
    await page.getByLabel('The whole app, window 1: at most').focus()
    for (const label of ['Without an address', 'One flagged address', 'One address', 'Wrong codes']) {
      const field = page.getByLabel(`${label}, window 1: at most`)
      while (!(await field.evaluate((node) => node === document.activeElement)))
        await page.keyboard.press('Shift+Tab')
      assert.ok(await page.evaluate(isFocusSeen), `${label} is covered`)
    }
    await page.setViewportSize({ width: 1_280, height: 800 })
  })

  it('shows what has the focus in a long dialog, forwards and round to its beginning again', async () => {
    const { page, open } = visitor
    for (const size of [enlarged, { width: 1_280, height: 600 }]) {
      await page.setViewportSize(size)
      await open('/operator/providers')
      await page.getByRole('button', { name: 'Add an account' }).first().press('Enter')
      const dialog = page.getByRole('dialog')
      const first = dialog.getByLabel('Provider', { exact: true })
      await first.and(page.locator(':focus')).waitFor()
      do {
        await page.keyboard.press('Tab')
        const covered = await dialog.locator(':focus').evaluate((node) => node.id || node.textContent)
        assert.ok(await page.evaluate(isFocusSeen), `${covered} is covered, ${size.height} px high`)
      } while (!(await first.evaluate((node) => node === document.activeElement)))
      await page.keyboard.press('Escape')
    }
    await page.setViewportSize({ width: 1_280, height: 800 })
  })

  it('shows what is chosen where the system decides the colours', async () => {
    const { page, open } = visitor
    await page.emulateMedia({ forcedColors: 'active' })
    await open(`/a/${appId}/channels`)
    const on = page.getByRole('switch', { name: 'SMS' })
    await on.waitFor()
    const surface = await backgroundOf(page.locator('body'))
    assert.notEqual(await backgroundOf(on), surface, 'a switch that is on')
    assert.notEqual(await backgroundOf(page.locator('[aria-current="page"]')), surface, 'the page')
    const tabLine = (isSelected: boolean) =>
      page
        .getByRole('tab', { selected: isSelected })
        .first()
        .evaluate((node) => getComputedStyle(node).borderBottomColor)
    assert.notEqual(await tabLine(true), await tabLine(false), 'a tab')
    const chosen = page.getByRole('radio', { name: 'Template' }).locator('span')
    assert.notEqual(await backgroundOf(chosen), surface, 'a choice')
    await open(`/a/${appId}/overview`)
    const days = page.getByRole('radio', { name: '7 days' })
    const hours = page.getByRole('radio', { name: '24 hours' })
    assert.notEqual(await backgroundOf(days), await backgroundOf(hours), 'a period')
    await page.emulateMedia({ forcedColors: 'none' })
  })

  it('draws lines that can be seen, and no pale text, for whoever asks for more contrast', async () => {
    const { page } = visitor
    const field = page.getByRole('combobox').first()
    const text = page.getByText('Figures appear here after the first send')
    const seen = async (colorScheme: 'light' | 'dark', contrast: 'more' | 'no-preference') => {
      await page.emulateMedia({ colorScheme, contrast })
      await page.locator(`html[data-theme="${colorScheme}"]`).waitFor({ state: 'attached' })
      const colourOf = (part: Locator, which: 'color' | 'borderBottomColor') =>
        part.evaluate((node, name) => getComputedStyle(node)[name], which)
      const paper = await backgroundOf(field)
      return [
        contrastOf(await colourOf(field, 'borderBottomColor'), paper),
        contrastOf(await colourOf(text, 'color'), paper),
      ] as const
    }
    for (const scheme of ['light', 'dark'] as const) {
      const [line = 0, words = 0] = await seen(scheme, 'more')
      assert.ok(line >= 4.5, `lines of ${line}, ${scheme}`)
      assert.ok(words >= 10, `text of ${words}, ${scheme}`)
      assert.deepEqual(await findingsOn(page, 'dark'), [], scheme)
    }
    await page.emulateMedia({ colorScheme: 'light', contrast: 'no-preference' })
  })

  it('prints a page alone, dark on white, also from a dark screen', async () => {
    const { page, open } = visitor
    await page.emulateMedia({ colorScheme: 'dark' })
    await open(`/c/${companyId}/audit`)
    await page.getByRole('table', { name: 'Changes' }).waitFor()
    await page.locator('html[data-theme="dark"]').waitFor({ state: 'attached' })
    await page.emulateMedia({ colorScheme: 'dark', media: 'print' })
    assert.equal(
      await page.locator('body').evaluate((node) => getComputedStyle(node).color),
      'rgb(25, 28, 27)',
    )
    assert.equal(await page.getByRole('navigation', { name: 'Pages' }).isVisible(), false)
    assert.equal(await page.getByRole('button', { name: 'Open the menu' }).isVisible(), false)
    // On paper every time is exact, and a card that spans pages hides none of its rows.
    assert.doesNotMatch(await page.getByRole('main').innerText(), /just now|ago/)
    const table = page.locator('section', { has: page.getByRole('table', { name: 'Changes' }) })
    assert.equal(await table.evaluate((node) => getComputedStyle(node).overflow), 'visible')
    // Figures say which days they are about; what cannot be pressed on paper is left out.
    await open(`/a/${appId}/overview`)
    await page.getByRole('radio', { name: '7 days' }).waitFor()
    assert.equal(await page.getByRole('radio', { name: '30 days' }).isVisible(), false)
    // No code is cut off at the edge of a sheet as wide as Letter or A4.
    await open(`/a/${appId}/keys`)
    await page.locator('pre').first().waitFor()
    await page.setViewportSize({ width: 700, height: 900 })
    const lost = `[...document.querySelectorAll('pre')].filter((part) => part.scrollWidth > part.clientWidth).length`
    assert.equal(await page.evaluate(lost), 0)
    await page.setViewportSize({ width: 1_280, height: 800 })
    await page.emulateMedia({ colorScheme: 'light', media: null })
    assert.deepEqual(visitor.complaints, [])
  })
})
