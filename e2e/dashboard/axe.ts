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

/** What is never more than that, and takes longest. */
const moderate = { region: { enabled: false } }

/** Serious and critical ones. axe's own script comes past the page's policy, as a debugger would. */
export async function findingsOn(page: Page, scheme: 'light' | 'dark'): Promise<string[]> {
  if (!(await page.evaluate('typeof axe === "object"'))) await page.evaluate(axe)
  // In the dark a page has the same words and parts, and other colours.
  const options =
    scheme === 'light' ? { rules: moderate } : { runOnly: ['color-contrast', 'link-in-text-block'] }
  // Stylesheets are read ahead for rules that are experiments, media for one that is moderate.
  const run = `axe.run(${JSON.stringify({ ...options, preload: false, resultTypes: ['violations'] })})`
  const found = (await page.evaluate(`${run}.then(({ violations }) => violations)`)) as Finding[]
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}
