/** Renders a document for the site: headings have the anchors of code hosts, and links lead to pages of the site. */
import markdownIt from 'markdown-it'
import { drawGraph } from './graph.ts'
import { drawSequence } from './sequence.ts'

export interface Heading {
  readonly level: number
  readonly text: string
  readonly anchor: string
}

/** A part of a page under one heading, for the search. */
export interface Section {
  readonly heading: string
  readonly anchor: string
  readonly text: string
}

export interface Rendered {
  readonly html: string
  readonly headings: readonly Heading[]
  readonly sections: readonly Section[]
}

/** Anchors as code hosts make them; if two headings are equal, the second gets `-1`. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .trim()
    .replaceAll(' ', '-')

type Token = ReturnType<ReturnType<typeof markdownIt>['parse']>[number]

const plainText = (token: Token): string =>
  (token.children ?? [])
    .map((child) => (child.type === 'softbreak' ? ' ' : child.type === 'image' ? '' : child.content))
    .join('')

const longestSection = 4_000

function createParser() {
  // HTML in documents is shown as text, since the content policy of the pages would not allow all of it.
  const parser = markdownIt({ html: false, linkify: false })
  const fence = parser.renderer.rules.fence
  parser.renderer.rules.fence = (tokens, index, options, env, self) => {
    const { info = '', content = '' } = tokens[index] ?? {}
    const drawn = info.trim() === 'mermaid' ? (drawSequence(content) ?? drawGraph(content)) : null
    return drawn ?? `<div class="code">${fence?.(tokens, index, options, env, self) ?? ''}</div>`
  }
  parser.renderer.rules.table_open = () => '<div class="scroll"><table>'
  parser.renderer.rules.table_close = () => '</table></div>'
  // The content policy forbids style attributes, so right-aligned cells get a class.
  for (const cell of ['th', 'td']) {
    parser.renderer.rules[`${cell}_open`] = (tokens, index) =>
      tokens[index]?.attrGet('style') === 'text-align:right' ? `<${cell} class="number">` : `<${cell}>`
  }
  return parser
}
const parser = createParser()

export function renderMarkdown(text: string, addressOf: (link: string) => string | null): Rendered {
  const tokens = withoutRemarks(parser.parse(text, {}))
  const headings = nameHeadings(tokens)
  markContents(tokens)
  for (const token of tokens) for (const child of token.children ?? []) leadSomewhere(child, addressOf)
  return { html: parser.renderer.render(tokens, parser.options, {}), headings, sections: sectionsOf(tokens) }
}

/** Removes HTML comments, which are paragraphs of their own, meant for scripts and editors. */
function withoutRemarks(tokens: readonly Token[]): Token[] {
  const isRemark = (token: Token | undefined) =>
    token?.type === 'inline' && token.content.startsWith('<!--') && token.content.endsWith('-->')
  return tokens.filter(
    (_token, index) => ![index - 1, index, index + 1].some((place) => isRemark(tokens[place])),
  )
}

function nameHeadings(tokens: readonly Token[]): Heading[] {
  const counts = new Map<string, number>()
  return tokens.flatMap((token, index) => {
    const content = tokens[index + 1]
    if (token.type !== 'heading_open' || !content) return []
    const base = anchorOf(content.content.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1'))
    const count = counts.get(base) ?? 0
    counts.set(base, count + 1)
    const anchor = count === 0 ? base : `${base}-${count}`
    token.attrSet('id', anchor)
    return [{ level: Number(token.tag.slice(1)), text: plainText(content), anchor }]
  })
}

/** Marks the list of contents, which comes before the first section of a page. */
function markContents(tokens: readonly Token[]): void {
  const end = tokens.findIndex(({ type, tag }) => type === 'heading_open' && tag === 'h2')
  const start = tokens.findIndex(({ type, level }) => type === 'bullet_list_open' && level === 0)
  if (start < 0 || start > end) return
  const close = tokens.findIndex(
    ({ type, level }, index) => index > start && type === 'bullet_list_close' && level === 0,
  )
  const links = tokens
    .slice(start, close)
    .flatMap(({ children }) => children ?? [])
    .filter(({ type }) => type === 'link_open')
  const isOwn = links.length > 0 && links.every((link) => String(link.attrGet('href')).startsWith('#'))
  if (isOwn) tokens[start]?.attrSet('class', 'within')
}

function leadSomewhere(token: Token, addressOf: (link: string) => string | null): void {
  const name = token.type === 'link_open' ? 'href' : token.type === 'image' ? 'src' : null
  const link = name === null ? null : token.attrGet(name)
  if (name === null || link === null) return
  const address = addressOf(decodeURI(String(link)))
  // If the site does not have the target, only the text is shown.
  if (address === null) token.attrs = null
  else token.attrSet(name, address)
  if (address?.startsWith('http')) token.attrSet('rel', 'noreferrer')
}

function sectionsOf(tokens: readonly Token[]): Section[] {
  const sections: { heading: string; anchor: string; parts: string[] }[] = []
  tokens.forEach((token, index) => {
    if (token.type === 'heading_open') {
      const content = tokens[index + 1]
      sections.push({
        heading: content ? plainText(content) : '',
        anchor: String(token.attrGet('id') ?? ''),
        parts: [],
      })
    } else if (token.type === 'inline' && tokens[index - 1]?.type !== 'heading_open')
      sections.at(-1)?.parts.push(plainText(token))
    // Code of calls is indexed, since people search for what is in it; long answers would drown everything else.
    else if (token.type === 'fence' && /^(sh|js|ts|py|go)/.test(token.info))
      sections.at(-1)?.parts.push(token.content)
  })
  return sections.map(({ heading, anchor, parts }) => ({
    heading,
    anchor,
    text: parts.join(' ').slice(0, longestSection),
  }))
}
