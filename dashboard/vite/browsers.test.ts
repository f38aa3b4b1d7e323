/** A build lowers syntax but not calls; the simulator's page and the documents' stylesheet are not built at all. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type Loader, transformSync } from 'esbuild'
import { browsers } from './browsers.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

const filesIn = (folder: string, ...endings: readonly string[]) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => endings.includes(extname(file)) && !file.includes('.test.'))
    .map((file) => join(folder, file))
const textOf = (file: string) => readFileSync(join(root, file), 'utf8')

/** Calls that only later versions of one of these browsers have. */
const later = [
  /\bURL\.(canParse|parse)\(/,
  /\b(query|search|searchParams|params)\.size\b/,
  /\b(Object|Map)\.groupBy\(/,
  /\bPromise\.(try|withResolvers)\(/,
  /\bArray\.fromAsync\(/,
  /\bAbortSignal\.any\(/,
  /\bRegExp\.escape\(/,
  /\bIterator\.from\(/,
  /\.(isDisjointFrom|isSubsetOf|isSupersetOf|symmetricDifference)\(/,
  /\.(fromBase64|fromHex|toBase64|toHex)\(/,
  /\.(checkVisibility|showPopover|togglePopover|startViewTransition|requestClose)\(/,
  /\brequestIdleCallback\(/,
  /\bIntl\.DurationFormat\b/,
  /\bTemporal\./,
]

/** Esbuild counts these as new as long as Unicode adds scripts; those that we use have been there since 2020. */
const supported = { 'regexp-unicode-property-escapes': true }

describe('the oldest browsers that are promised', () => {
  it('are those that the pages are built for', () => {
    const [, promised = ''] = /need (Chrome .+?) \(/.exec(textOf('docs/dashboard.md')) ?? []
    const named = promised.split(/, | or /).map((name) => name.toLowerCase().replace(' ', ''))
    // Safari on phones has the same version number as Safari.
    const built = browsers.filter((name) => !name.startsWith('ios'))
    assert.deepEqual(named, built)
  })

  it('have every call that the pages make', () => {
    const sources = [
      ...filesIn('dashboard/src', '.ts', '.tsx'),
      ...filesIn('contract/src', '.ts'),
      ...filesIn('site/src/client', '.ts'),
      ...filesIn('simulator/src/page', '.js'),
    ]
    const found = sources.filter((file) => later.some((call) => call.test(textOf(file))))
    assert.deepEqual(found, [])
  })

  it('read what is served as it is written', () => {
    const served = [
      ...filesIn('dashboard/public', '.js'),
      ...filesIn('simulator/src/page', '.js', '.css'),
      'site/src/site.css',
      'dashboard/src/colours.css',
    ]
    const asReadBy = (file: string, target: string | string[]) =>
      transformSync(textOf(file), { loader: extname(file).slice(1) as Loader, target, supported }).code
    const found = served.filter((file) => asReadBy(file, browsers) !== asReadBy(file, 'esnext'))
    assert.deepEqual(found, [])
  })
})
