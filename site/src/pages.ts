/** Which documents the site has, where each is in the menu, and where the links between them lead. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join, posix, relative, sep } from 'node:path'

export interface Page {
  /** The path from the root of the repository. */
  readonly source: string
  /** The path below `/docs`, without a file extension. */
  readonly slug: string
  readonly title: string
  /** The first paragraph, for lists of pages. */
  readonly summary: string
  readonly text: string
}

export interface Group {
  readonly title: string
  readonly pages: readonly Page[]
}

/** The menu. A page that is not named in it comes at the end, so that a new one cannot be forgotten. */
const menu: readonly (readonly [title: string, sources: readonly string[]])[] = [
  ['Start', ['docs/guide.md', 'docs/glossary.md']],
  [
    'Recipes',
    [
      'docs/recipes/routing-by-country.md',
      'docs/recipes/whatsapp-first.md',
      'docs/recipes/link-modes.md',
      'docs/recipes/device-flow.md',
    ],
  ],
  [
    'Build',
    ['docs/api.md', 'docs/errors.md', 'docs/webhooks.md', 'docs/sdks.md', 'docs/rules.md', 'docs/twilio.md'],
  ],
  ['Providers', ['docs/providers.md', 'docs/gateways.md', 'docs/gateways/*']],
  [
    'Run',
    [
      'docs/deploying.md',
      'docs/operations.md',
      'docs/dashboard.md',
      'docs/alerts.md',
      'docs/security.md',
      'docs/pumping.md',
      'docs/ip-reputation.md',
      'docs/performance.md',
    ],
  ],
  ['Inside', ['docs/architecture.md', 'docs/*', 'docs/adr/*']],
]

const documentFolder = 'docs'
/** The folder of the site for files that documents link to outside `docs/`. */
const repositoryFolder = 'repository'

const toSlug = (source: string) => {
  const path = source.startsWith(`${documentFolder}/`)
    ? source.slice(documentFolder.length + 1)
    : posix.join(repositoryFolder, source)
  return path.replace(/\.md$/, '')
}

const plain = (text: string) =>
  text
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .replaceAll('\n', ' ')
    .trim()

function readPage(root: string, source: string): Page {
  const text = readFileSync(join(root, source), 'utf8')
  const title = plain(/^# (.+)$/m.exec(text)?.[1] ?? basename(source, '.md'))
  const paragraphs = text.split(/\n{2,}/).map((paragraph) => paragraph.trim())
  const summary = paragraphs.find((paragraph) => /^[\p{L}`*]/u.test(paragraph)) ?? ''
  return { source, slug: toSlug(source), title, summary: plain(summary), text }
}

const filesUnder = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesUnder(join(folder, entry.name)) : [join(folder, entry.name)],
  )

const linksIn = (text: string) =>
  [...text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/\]\(([^()\s]+)\)/g)].map(
    ([, target = '']) => target,
  )

/** The target of a link, from the root of the repository; null if it leads elsewhere or to a place in the same page. */
export function targetOf(source: string, link: string): string | null {
  if (/^[a-z][a-z0-9+.-]*:/i.test(link) || link.startsWith('#') || link.startsWith('/')) return null
  const [path = ''] = link.split('#')
  return posix.normalize(posix.join(posix.dirname(source), path)).replace(/\/$/, '')
}

export interface Site {
  readonly groups: readonly Group[]
  readonly pages: readonly Page[]
  /** The files that documents show or link to, as paths from the root of the repository. */
  readonly files: readonly string[]
  /** The address of a link's target on the site; null if the site does not have it. */
  readonly addressOf: (source: string, link: string) => string | null
}

/** The file that a link leads to. For a folder that is its README, if it has one. */
function resolved(root: string, target: string): string | null {
  const path = join(root, target)
  if (relative(root, path).startsWith('..') || !existsSync(path)) return null
  if (!statSync(path).isDirectory()) return target
  const readme = posix.join(target, 'README.md')
  return existsSync(join(root, readme)) ? readme : null
}

export function collectSite(root: string): Site {
  const documents = filesUnder(join(root, documentFolder))
    .map((path) => relative(root, path).split(sep).join('/'))
    .filter((path) => path.endsWith('.md'))
  const pages = new Map<string, Page>()
  const files = new Set<string>()
  const waiting = documents.toSorted()
  for (let source = waiting.shift(); source !== undefined; source = waiting.shift()) {
    if (pages.has(source)) continue
    const page = readPage(root, source)
    pages.set(source, page)
    for (const link of linksIn(page.text)) {
      const target = targetOf(source, link)
      const found = target === null ? null : resolved(root, target)
      if (found?.endsWith('.md')) waiting.push(found)
      else if (found) files.add(found)
    }
  }
  const addressOf = (source: string, link: string): string | null => {
    const target = targetOf(source, link)
    if (target === null) return link
    const anchor = link.includes('#') ? link.slice(link.indexOf('#')) : ''
    if (target === `${documentFolder}/openapi.json`) return '/api/v1/openapi.json'
    if (target === `${documentFolder}/adr`) return `/docs/architecture${anchor}`
    const found = resolved(root, target)
    if (!found) return null
    return `/docs/${toSlug(found)}${anchor}`
  }
  return { groups: groupsOf(pages), pages: [...pages.values()], files: [...files], addressOf }
}

function groupsOf(pages: ReadonlyMap<string, Page>): Group[] {
  const taken = new Set<string>(menu.flatMap(([, sources]) => sources))
  const matching = (pattern: string): Page[] => {
    if (!pattern.endsWith('/*')) return [pages.get(pattern) ?? []].flat()
    return [...pages.values()].filter(
      ({ source }) => posix.dirname(source) === pattern.slice(0, -2) && !taken.has(source),
    )
  }
  return menu.map(([title, sources]) => ({ title, pages: sources.flatMap(matching) }))
}
