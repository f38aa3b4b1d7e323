/** Problems of accessibility that can be found automatically. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Finding {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string }[]
}

/** A rule says how bad it is where it is broken: those that would be passed over below are not asked. */
const lesser = `axe._audit.rules.filter(({ impact }) => impact === 'minor' || impact === 'moderate')`
const withoutLesser = `{ rules: Object.fromEntries(${lesser}.map(({ id }) => [id, { enabled: false }])) }`

/** Serious and critical ones. axe's own script comes past the page's policy, as a debugger would. */
export async function findingsOn(page: Page, scheme: 'light' | 'dark'): Promise<string[]> {
  if (!(await page.evaluate('typeof axe === "object"'))) await page.evaluate(axe)
  // In the dark a page has the same words and parts, and other colours.
  const options = scheme === 'light' ? withoutLesser : `{ runOnly: ['color-contrast', 'link-in-text-block'] }`
  // Stylesheets are read ahead for rules that are experiments, media for one that is moderate.
  const run = `axe.run({ ...${options}, preload: false, resultTypes: ['violations'] })`
  const found = (await page.evaluate(`${run}.then(({ violations }) => violations)`)) as Finding[]
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}
