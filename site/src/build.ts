/** Builds the site of `/docs` from the documents and the contract, as static files. */
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import MiniSearch from 'minisearch'
import { openApiDocument } from '../../contract/src/index.ts'
import { browsers } from '../../dashboard/vite/browsers.ts'
import { type Assets, createLayout } from './layout.ts'
import { renderMarkdown, type Section } from './markdown.ts'
import { collectSite, type Page, type Site, targetOf } from './pages.ts'
import { type ReferencePage, renderReference } from './reference.ts'
import { searchOptions } from './search-options.ts'
import { startPage } from './start-page.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))

export function buildSite(out: string): void {
  rmSync(out, { recursive: true, force: true })
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(out, path)), { recursive: true })
    writeFileSync(join(out, path), content)
  }
  const site = collectSite(root)
  const references = renderReference(openApiDocument())
  const rendered = site.pages.map((page) => ({
    page,
    ...renderMarkdown(page.text, (link) => site.addressOf(page.source, link)),
  }))
  const searchable = [
    ...rendered.map(({ page, sections }) => ({ ...page, sections })),
    ...references.map((page) => ({ ...page, title: `API: ${page.title}` })),
  ]
  const assets = writeAssets(write, searchIndex(searchable))
  const layout = createLayout(site.groups, referenceGroup(references), assets)
  for (const { page, html, headings } of rendered) {
    write(`${page.slug}.html`, layout({ ...page, body: html, headings, hasSource: true }))
    write(`${page.slug}.md`, withOwnLinks(page, site))
  }
  for (const page of references) write(`${page.slug}.html`, layout({ ...page, isReference: true }))
  write('index.html', layout({ slug: '', title: 'Documentation', body: startPage(site, references) }))
  write('404.html', layout({ slug: '404', title: 'There is no such page', body: missingPage }))
  write('llms.txt', list(site, references))
  for (const file of site.files) copyFile(out, file)
}

const missingPage = `<h1>There is no such page</h1>
<p>It may have another name by now. <a href="/docs">All documents</a> are in the list, and the search looks through them.</p>`

const referenceGroup = (references: readonly ReferencePage[]) => ({
  title: 'API reference',
  pages: references.map(({ slug, title, summary }) => ({
    slug,
    title: slug === 'reference' ? 'All operations' : title,
    summary,
    source: '',
    text: '',
  })),
})

/** Files under `docs/`, such as pictures, keep their place; files from elsewhere go under `repository/`, to be read. */
function copyFile(out: string, file: string): void {
  const isShown = file.startsWith('docs/')
  // The service serves the OpenAPI document itself, at another address.
  if (file === 'docs/openapi.json') return
  const target = isShown ? file.slice('docs/'.length) : `repository/${file}`
  mkdirSync(dirname(join(out, target)), { recursive: true })
  copyFileSync(join(root, file), join(out, target))
}

/** Links between documents work as they are; others are changed to the addresses on the site. */
const withOwnLinks = ({ source, text }: Page, { addressOf, pages }: Site) =>
  text.replaceAll(/\]\(([^()\s]+)\)/g, (whole, link: string) => {
    const target = targetOf(source, link)
    const isDocument = target?.startsWith('docs/') && target.endsWith('.md')
    if (target === null || (isDocument && source.startsWith('docs/'))) return whole
    const address = addressOf(source, link)
    if (address === null) return whole
    const [path = '', anchor] = address.split('#')
    const isPage = pages.some(({ slug }) => path === `/docs/${slug}`)
    return `](${path}${isPage ? '.md' : ''}${anchor === undefined ? '' : `#${anchor}`})`
  })

function searchIndex(
  pages: readonly { slug: string; title: string; sections: readonly Section[] }[],
): string {
  const index = new MiniSearch(searchOptions)
  const sections = pages.flatMap(({ slug, title, sections }) =>
    sections.map(({ heading, anchor, text }) => ({
      address: `/docs/${slug}${anchor ? `#${anchor}` : ''}`,
      title,
      heading,
      text,
      excerpt: text.slice(0, 140),
    })),
  )
  index.addAll(sections.map((section, id) => ({ id, ...section })))
  return JSON.stringify(index)
}

/** File names contain a hash of the content, so that browsers may cache them for good. */
function writeAssets(write: (path: string, content: string) => void, index: string): Assets {
  const asset = (name: string, content: string) => {
    const hash = createHash('sha256').update(content).digest('base64url').slice(0, 10)
    const path = name.replace('.', `-${hash}.`)
    write(posix.join('assets', path), content)
    return `/docs/assets/${path}`
  }
  const bundle = (entry: string) => {
    const { outputFiles } = buildSync({
      entryPoints: [join(here, 'client', entry)],
      bundle: true,
      minify: true,
      write: false,
      format: 'esm',
      target: browsers,
      legalComments: 'none',
      logLevel: 'warning',
    })
    return outputFiles[0]?.text ?? ''
  }
  // The licence of MiniSearch must go with every copy.
  const licence = readFileSync(join(root, 'node_modules/minisearch/LICENSE.txt'), 'utf8')
  const dashboardFile = (name: string) => readFileSync(join(root, 'dashboard', name), 'utf8')
  return {
    style: asset('site.css', dashboardFile('src/colours.css') + readFileSync(join(here, 'site.css'), 'utf8')),
    theme: asset('theme.js', dashboardFile('public/theme.js')),
    mark: asset('mark.svg', dashboardFile('public/mark.svg')),
    script: asset('main.js', bundle('main.ts')),
    reference: asset('reference.js', bundle('reference.ts')),
    finder: asset('finder.js', `/*!\n${licence}*/\n${bundle('finder.ts')}`),
    search: asset('search.json', index),
  }
}

/** https://llmstxt.org: the list of all pages, each as Markdown. */
function list({ groups }: Site, references: readonly ReferencePage[]): string {
  const parts = groups.map(
    ({ title, pages }) =>
      `## ${title}\n\n${pages.map((page) => `- [${page.title}](/docs/${page.slug}.md): ${firstSentence(page.summary)}`).join('\n')}`,
  )
  const operations = references.length - 1
  return `# Countersign

> Countersign verifies that a person controls a phone number or an email address: it sends a code by SMS, WhatsApp, Telegram or email, and checks what the person types. You host it yourself.

The API is described by [OpenAPI 3.1](/api/v1/openapi.json), in ${operations} groups of operations. The pages below are Markdown.

${parts.join('\n\n')}
`
}

const firstSentence = (text: string) => /^.*?[.:](?=\s|$)/.exec(text)?.[0].replace(/:$/, '.') ?? text

if (process.argv[1] === fileURLToPath(import.meta.url)) buildSite(join(here, '../dist'))
