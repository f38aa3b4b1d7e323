/** Checks that every link in a Markdown file to another place of the repository leads somewhere. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const passedOver = /^(\..*|node_modules|dist|test-results)$/

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return passedOver.test(entry.name) ? [] : filesIn(path)
    return path
  })

/** The text without code blocks, in which `#` begins a comment. */
const textOf = (page: string) => readFileSync(page, 'utf8').replaceAll(/^```[\s\S]*?^```/gm, '')

const linksIn = (text: string) =>
  [...text.matchAll(/\]\(([^()\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))

/** The anchors that GitHub makes from headings; the second of two equal headings gets `-1`. */
function anchorsIn(text: string): Set<string> {
  const anchors = new Set<string>()
  const counts = new Map<string, number>()
  for (const [, heading = ''] of text.matchAll(/^#{1,6} (.+)$/gm)) {
    const anchor = anchorOf(heading)
    const count = counts.get(anchor) ?? 0
    counts.set(anchor, count + 1)
    anchors.add(count === 0 ? anchor : `${anchor}-${count}`)
  }
  return anchors
}

const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .trim()
    .replaceAll(' ', '-')

function isBroken(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? page : join(dirname(page), path)
  if (!existsSync(target)) return true
  return anchor !== undefined && target.endsWith('.md') && !anchorsIn(textOf(target)).has(anchor)
}

const files = filesIn(root)
const pages = files.filter((path) => path.endsWith('.md'))

describe('the documents', () => {
  it('are found', () => assert.ok(pages.length > 30))

  for (const page of pages) {
    const name = relative(root, page)
    const text = textOf(page)

    it(`links of ${name} lead somewhere`, () => {
      const broken = linksIn(text).filter((link) => isBroken(page, link))
      assert.deepEqual(broken, [])
    })

    const contents = text.split(/^## /m)[0] ?? ''
    if (!/^- \[.*\]\(#/m.test(contents)) continue
    it(`the contents of ${name} name every part of it, in its order`, () => {
      const parts = [...text.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => `#${anchorOf(heading)}`)
      assert.deepEqual(
        linksIn(contents).filter((link) => parts.includes(link)),
        parts,
      )
    })
  }

  it('name no source file that there is not', () => {
    const sources = files.map((path) => `/${relative(root, path)}`)
    const missing = pages
      // Decisions tell of the past.
      .filter((page) => !page.includes(join('docs', 'adr')))
      .flatMap((page) =>
        [...textOf(page).matchAll(/`([\w./-]+\.(?:tsx?|sql))`/g)].flatMap(([, name = '']) =>
          sources.some((path) => path.endsWith(`/${name}`)) ? [] : `${relative(root, page)}: ${name}`,
        ),
      )
    // An example of a file that somebody might add.
    assert.deepEqual(missing, ['docs/architecture.md: issuing/rules/weekend.ts'])
  })

  it('name no script of the repository that there is not', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const named = pages.flatMap((page) =>
      [...readFileSync(page, 'utf8').matchAll(/npm run ([a-z][a-z:-]*)/g)].map(([, script = '']) => script),
    )
    assert.ok(named.length > 20)
    assert.deepEqual(
      named.filter((script) => !Object.hasOwn(scripts, script)),
      [],
    )
  })

  it('no two decisions have the same number, and the title of each has the number of its file', () => {
    const files = pages.filter((page) => dirname(page).endsWith(join('docs', 'adr')))
    const numbers = files.map((file) => Number(/(\d{4})-[^/\\]*$/.exec(file)?.[1]))
    const titles = files.map((file) => Number(/^# (\d+)\. /.exec(textOf(file))?.[1]))
    assert.equal(new Set(numbers).size, files.length)
    assert.deepEqual(titles, numbers)
  })
})
