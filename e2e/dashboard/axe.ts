/** Finds accessibility problems that can be detected automatically. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Finding {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string }[]
}

/** Rules with a minor or moderate impact are not run, because `findingsOn` would drop their findings anyway. */
const lesser = `axe._audit.rules.filter(({ impact }) => impact === 'minor' || impact === 'moderate')`
const withoutLesser = `{ rules: Object.fromEntries(${lesser}.map(({ id }) => [id, { enabled: false }])) }`

/** Serious and critical problems. axe runs through the debugger, so the content security policy does not stop it. */
export async function findingsOn(page: Page, scheme: 'light' | 'dark'): Promise<string[]> {
  if (!(await page.evaluate('typeof axe === "object"'))) await page.evaluate(axe)
  // A dark page differs only in its colours.
  const options = scheme === 'light' ? withoutLesser : `{ runOnly: ['color-contrast', 'link-in-text-block'] }`
  // axe preloads stylesheets only for experimental rules, and media only for a moderate one.
  const run = `axe.run({ ...${options}, preload: false, resultTypes: ['violations'] })`
  const found = (await page.evaluate(`${run}.then(({ violations }) => violations)`)) as Finding[]
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}
