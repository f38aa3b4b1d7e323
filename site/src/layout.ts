/** The frame around every page. */

import type { Heading } from './markdown.ts'
import type { Group } from './pages.ts'

export const escapeHtml = (text: string) =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

export interface Assets {
  readonly style: string
  readonly theme: string
  readonly script: string
  readonly reference: string
  readonly finder: string
  readonly search: string
  readonly mark: string
}

interface Frame {
  readonly slug: string
  readonly title: string
  readonly body: string
  readonly headings?: readonly Heading[]
  /** Whether the page also exists as Markdown. */
  readonly hasSource?: boolean
  readonly isReference?: boolean
}

/** The menu shows `1. Title` as `1 · Title`. */
const shortTitle = (title: string) => title.replace(/^(\d+)\. /, '$1 · ')

export function createLayout(groups: readonly Group[], references: Group, assets: Assets) {
  const item = (slug: string, title: string, current: string) =>
    `<li><a href="/docs/${slug}"${slug === current ? ' aria-current="page"' : ''}>${escapeHtml(shortTitle(title))}</a></li>`
  const list = ({ title, pages }: Group, current: string, isFolded: boolean) => {
    const isOpen = !isFolded || pages.some(({ slug }) => slug === current)
    const items = pages.map((page) => item(page.slug, page.title, current)).join('')
    return `<details${isOpen ? ' open' : ''}><summary>${escapeHtml(title)}</summary><ul>${items}</ul></details>`
  }
  const folded = new Set(['Providers', 'Run', 'Inside', 'API reference'])
  const navigation = (current: string) =>
    [...groups.slice(0, 3), references, ...groups.slice(3)]
      .map((group) => list(group, current, folded.has(group.title)))
      .join('')

  return ({ slug, title, body, headings = [], hasSource = false, isReference = false }: Frame): string => {
    const parts = headings.filter(({ level }) => level === 2 || level === 3)
    const contents =
      parts.length > 2
        ? `<nav class="contents" aria-label="On this page"><p>On this page</p><ul>${parts
            .map(
              ({ level, text, anchor }) =>
                `<li class="level${level}"><a href="#${escapeHtml(anchor)}">${escapeHtml(text)}</a></li>`,
            )
            .join('')}</ul>${hasSource ? sourceLink(slug) : ''}</nav>`
        : `<nav class="contents" aria-label="This page">${hasSource ? sourceLink(slug) : ''}</nav>`
    return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Countersign</title>
<link rel="icon" href="${assets.mark}" type="image/svg+xml">
<script src="${assets.theme}"></script><link rel="stylesheet" href="${assets.style}">
${hasSource ? `<link rel="alternate" type="text/markdown" href="/docs/${slug}.md">\n` : ''}<script type="module" src="${assets.script}" data-finder="${assets.finder}" data-search="${assets.search}"></script>${isReference ? `<script type="module" src="${assets.reference}"></script>` : ''}
</head><body>
<a class="skip" href="#content">Skip to the text</a>
<header class="bar"><a class="brand" href="/docs"><img src="${assets.mark}" alt="" width="24" height="24">Countersign <span>Docs</span></a>
<a class="button menu" href="#menu" aria-controls="menu">Menu</a>
<button class="button search" type="button" hidden><span>Search</span><kbd>/</kbd></button>
<button class="button theme" type="button" hidden aria-label="Light or dark">◐</button>
<a class="button dashboard" href="/dashboard">Dashboard</a></header>
<div class="columns"><nav class="pages" id="menu" aria-label="Pages">${navigation(slug)}<p><a href="/dashboard">Dashboard</a></p></nav>
<main id="content"><article>${body}</article></main>${contents}</div>
<dialog class="finder" aria-label="Search the documents"><input type="search" aria-label="Search" placeholder="Search the documents" autocomplete="off" spellcheck="false"><p class="state" role="status"></p><ul></ul></dialog>
</body></html>
`
  }
}

const sourceLink = (slug: string) =>
  `<p class="source"><a href="/docs/${slug}.md">This page as Markdown</a></p>`
