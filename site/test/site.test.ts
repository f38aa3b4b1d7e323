/** The built site of `/docs`: every link leads somewhere, every script is our own, and the search finds pages. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, posix, relative, sep } from 'node:path'
import { after, describe, it } from 'node:test'
import MiniSearch from 'minisearch'
import { errorCatalogue, operations } from '../../contract/src/index.ts'
import { buildSite } from '../src/build.ts'
import { drawGraph } from '../src/graph.ts'
import { searchOptions } from '../src/search-options.ts'
import { drawSequence } from '../src/sequence.ts'

const folder = await mkdtemp(join(tmpdir(), 'countersign-site-'))
after(() => rm(folder, { recursive: true, force: true }))
buildSite(folder)

const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
const read = (name: string) => readFileSync(join(folder, name), 'utf8')
const pages = new Map(files.filter((name) => name.endsWith('.html')).map((name) => [name, read(name)]))
const idsOf = (html: string) => [...html.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id)

/** Addresses that the same service serves outside the site. */
const ofTheService = new Set(['/dashboard', '/api/v1/openapi.json', '/llms.txt'])

/** The file behind an address, as the service looks it up; null if there is none. */
function fileAt(path: string): string | null {
  if (path === '/docs') return 'index.html'
  const name = path.replace('/docs/', '')
  if (name.endsWith('.html')) return null
  return files.includes(name) ? name : files.includes(`${name}.html`) ? `${name}.html` : null
}

function isBroken(from: string, link: string): boolean {
  if (/^(?:https?|mailto):/.test(link) || link.startsWith('data:')) return false
  const [path = '', anchor] = link.split('#')
  if (ofTheService.has(path)) return false
  const file = path === '' ? from : fileAt(path)
  if (file === null) return true
  return anchor !== undefined && !idsOf(read(file)).includes(decodeURIComponent(anchor))
}

describe('the site', () => {
  it('has only links that lead somewhere, on every page', () => {
    const broken = [...pages].flatMap(([name, html]) =>
      [...html.matchAll(/\s(?:href|src)="([^"]*)"/g)]
        .map(([, link = '']) => link)
        .filter((link) => link === '#' || isBroken(name, link))
        .map((link) => `${name}: ${link}`),
    )
    assert.deepEqual(broken, [])
    assert.ok(pages.size > 60)
  })

  it('shows no remark that is meant for whoever edits a document', () => {
    const shown = [...pages].filter(([, html]) => html.includes('<p>&lt;!--')).map(([name]) => name)
    assert.deepEqual(shown, [])
  })

  it('has every document as Markdown too, whose links lead to what is there', () => {
    const documents = files.filter((name) => name.endsWith('.md'))
    assert.ok(documents.length > 50)
    for (const name of documents) {
      assert.ok(pages.has(name.replace(/\.md$/, '.html')), name)
      const text = read(name).replaceAll(/^```[\s\S]*?^```/gm, '')
      for (const [, link = ''] of text.matchAll(/\]\(([^()\s]+)\)/g)) {
        if (/^[a-z]+:/.test(link) || link.startsWith('#')) continue
        const [path = ''] = link.split('#')
        // A link to a folder of the repository that has no page is left as it is.
        if (ofTheService.has(path) || (name.startsWith('repository/') && !path.includes('.'))) continue
        const target = path.startsWith('/') ? path : posix.join('/docs', posix.dirname(name), path)
        assert.ok(fileAt(target) !== null, `${name}: ${link}`)
      }
    }
  })

  it('lists every document for programs that read', () => {
    const list = read('llms.txt')
    for (const name of files.filter((each) => each.endsWith('.md') && !each.startsWith('repository/')))
      assert.ok(list.includes(`](/docs/${name})`), name)
  })

  it('runs no script and takes no style but its own files, and loads nothing from elsewhere', () => {
    for (const [name, html] of pages) {
      assert.doesNotMatch(
        html,
        /<script(?![^>]*\ssrc="\/docs\/assets\/)|<style|\son\w+="|\sstyle="|javascript:/i,
        name,
      )
      assert.doesNotMatch(html, /\s(?:src|data)="(?:https?:)?\/\//, name)
      const ids = idsOf(html)
      assert.equal(new Set(ids).size, ids.length, name)
    }
  })

  it('has a place for every operation, which can be tried, and for every error', () => {
    const reference = [...pages].filter(([name]) => name.startsWith('reference/')).map(([, html]) => html)
    const overview = read('reference.html')
    for (const [name, { path }] of Object.entries(operations)) {
      assert.equal(reference.filter((html) => html.includes(`id="${name}"`)).length, 1, name)
      assert.ok(
        reference.some((html) => html.includes(`data-operation="${name}"`)),
        name,
      )
      assert.ok(overview.includes(path), path)
    }
    for (const { type } of Object.values(errorCatalogue))
      assert.ok(idsOf(read('errors.html')).includes(type.toLowerCase()), type)
  })

  it('is found by what people look for', () => {
    const index = files.find((name) => /^assets\/search-.*\.json$/.test(name)) ?? ''
    const search = MiniSearch.loadJSON(read(index), searchOptions)
    const firstOf = (words: string) =>
      search
        .search(words)
        .slice(0, 5)
        .map(({ address }) => String(address))
    const wanted = [
      ['ResendCooldownError', '/docs/errors#resendcooldownerror'],
      ['idempotency', '/docs/api#idempotency'],
      ['rotate secret', '/docs/webhooks'],
      ['moving from twilio', '/docs/twilio'],
      ['vonage', '/docs/gateways/vonage'],
      ['device flow', '/docs/recipes/device-flow'],
      ['checkProvider', '/docs/reference/providers#checkProvider'],
    ] as const
    for (const [words, address] of wanted)
      assert.ok(
        firstOf(words).some((found) => found.startsWith(address)),
        `${words}: ${firstOf(words).join(' ')}`,
      )
  })

  it('draws steps between people and parts, and says them in words', () => {
    const drawn = drawSequence(
      'sequenceDiagram\n  participant A as you & me\n  participant B as it\n  A->>B: <hello>',
    )
    assert.match(drawn ?? '', /aria-label="you &#38; me to it: &#60;hello&#62;"/)
    for (const recipe of ['link-modes', 'device-flow', 'whatsapp-first'])
      assert.match(read(`recipes/${recipe}.html`), /<svg [^>]*role="img"/)
    assert.equal(drawSequence('flowchart LR\n a --> b'), null)
  })

  it('draws parts and states, and says their arrows in words', () => {
    const drawn = drawGraph('flowchart LR\n  a[you & me] & b --> c{it<br/>all}\n  c -- <seals> --> d') ?? ''
    assert.match(drawn, /aria-label="you &#38; me to it all\. b to it all\. it all to d: &#60;seals&#62;"/)
    assert.equal(drawn.match(/class="box"/g)?.length, 4)
    assert.equal(drawn.match(/class="arrow"/g)?.length, 3)
    const states =
      drawGraph('stateDiagram-v2\n  [*] --> open: send\n  open --> open: again\n  open --> over') ?? ''
    assert.match(states, /aria-label="the start to open: send\. open to open: again\. open to over"/)
    assert.doesNotMatch(drawn + states, /NaN|undefined|style=/)
    assert.equal(drawGraph('pie'), null)
    const wanted = ['architecture.html', 'operations.html'].map(
      (name) => read(name).match(/<svg [^>]*role="img"/g)?.length,
    )
    assert.deepEqual(wanted, [7, 1])
  })

  it('holds nothing that starts with a dot but what the documents name', () => {
    const hidden = files.filter((name) => /(?:^|\/)\./.test(name))
    assert.deepEqual(
      hidden,
      existsSync(join(folder, 'repository/.env.example')) ? ['repository/.env.example'] : [],
    )
  })
})
