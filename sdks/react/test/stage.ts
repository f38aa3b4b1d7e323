/** The packed packages in a project of their own, bundled into a page that a browser can open. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { useBrowser as shareBrowser } from '../../../e2e/harness/browser.ts'
import { Shared } from '../../../e2e/harness/shared.ts'
import { installPacked, type PackedProject } from '../../packed-project.ts'

export interface Stage {
  readonly project: PackedProject
  /** Shows one of the screens of `screen.tsx`; `complaints` collects the messages of the browser's console. */
  readonly open: (query: Readonly<Record<string, string>>) => Promise<{ page: Page; complaints: string[] }>
}

const packed = new Shared({ open: openPacked, close: ({ close }) => close() })

/** Test files of one process share the project, the server of its page, and the browser. */
export function useStage(): () => Stage {
  const [site, browser] = [packed.use(), shareBrowser()]
  const open: Stage['open'] = async (query) => {
    const page = await browser().newPage()
    const complaints: string[] = []
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    await page.goto(`${site().url}/?${new URLSearchParams(query)}`)
    return { page, complaints }
  }
  return () => ({ project: site().project, open })
}

async function openPacked() {
  const project = await installPacked('web', 'react')
  await project.lend('react', 'react-dom', '@types/react', '@types/react-dom')
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')
  const [, example] = /^```tsx\n(.*?)^```$/ms.exec(readme) ?? []
  await project.write('readme.tsx', example ?? assert.fail('the README has no example'))
  await project.write('screen.tsx', await readFile(new URL('screen.tsx', import.meta.url), 'utf8'))
  const { url, close } = await servePage(await bundle(project.path('screen.tsx')))
  return {
    project,
    url,
    close: async () => {
      close()
      await project.remove()
    },
  }
}

async function bundle(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    jsx: 'automatic',
    // StrictMode checks only in development.
    define: { 'process.env.NODE_ENV': '"development"' },
    // No warning about the library's `use client` directive.
    logOverride: { 'unsupported-directive': 'silent' },
  })
  return outputFiles[0]?.text ?? ''
}

async function servePage(script: string) {
  const head =
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>A screen</title><link rel="icon" href="data:,">'
  const server = createServer((request, response) => {
    const isScript = request.url === '/screen.js'
    response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' })
    response.end(isScript ? script : `${head}<body><script src="/screen.js"></script>`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
