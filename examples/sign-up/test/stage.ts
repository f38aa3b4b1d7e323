/** What the tests of the example share: one service, one installed example, one browser. */
import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { type Browser, openBrowser } from '../../../e2e/harness/browser.ts'
import { useService } from '../../../e2e/harness/service.ts'
import type { PackedProject } from '../../../sdks/packed-project.ts'
import { installExample } from './example.ts'

export const service = useService()

let opened: { readonly project: PackedProject; readonly browser: Browser } | undefined
before(async () => {
  const [project, browser] = await Promise.all([installExample(), openBrowser()])
  opened = { project, browser }
})
after(async () => {
  await opened?.browser.close()
  await opened?.project.remove()
})

export function stage() {
  assert.ok(opened, 'the example is not installed')
  return opened
}
