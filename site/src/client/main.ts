/** What pages do beyond being read: the menu of small screens, the theme, the search. */
import type { Found } from '../search-options.ts'
import type { Finder } from './finder.ts'

const find = <Element extends HTMLElement>(selector: string) => document.querySelector<Element>(selector)

const menu = find<HTMLAnchorElement>('a.menu')
const pages = find('nav.pages')
menu?.setAttribute('role', 'button')
menu?.setAttribute('aria-expanded', 'false')
document.documentElement.classList.add('scripted')
function showMenu(isOpen: boolean): void {
  menu?.setAttribute('aria-expanded', String(isOpen))
  pages?.classList.toggle('open', isOpen)
}
menu?.addEventListener('click', (event) => {
  event.preventDefault()
  showMenu(menu.getAttribute('aria-expanded') !== 'true')
})
menu?.addEventListener('keydown', (event) => {
  if (event.key !== ' ') return
  event.preventDefault()
  menu.click()
})
pages?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })

/** Makes content that is wider than its place scrollable by keyboard. */
function letScroll(): void {
  for (const wide of document.querySelectorAll<HTMLElement>('pre, .scroll, .diagram')) {
    if (wide.scrollWidth > wide.clientWidth) wide.tabIndex = 0
    else wide.removeAttribute('tabindex')
  }
}
letScroll()
addEventListener('resize', letScroll)
document.addEventListener('toggle', letScroll, true)

const theme = find<HTMLButtonElement>('button.theme')
if (theme) {
  theme.hidden = false
  theme.addEventListener('click', () => {
    const chosen = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark'
    document.documentElement.dataset.theme = chosen
    try {
      localStorage.setItem('countersign.theme', chosen)
    } catch {
      // Storage may be forbidden; then the choice lasts as long as the page.
    }
  })
}

const dialog = find<HTMLDialogElement>('dialog.finder')
const input = dialog?.querySelector('input')
const list = dialog?.querySelector('ul')
const state = dialog?.querySelector('.state')
const opener = find<HTMLButtonElement>('button.search')
const mostResults = 12

let finder: Promise<Finder> | null = null
/** The search index is larger than a page, so it is loaded when somebody searches. */
function loadFinder(): Promise<Finder> {
  const { finder: program = '', search: address = '' } =
    find<HTMLScriptElement>('script[data-search]')?.dataset ?? {}
  finder ??= import(program).then(({ load }: typeof import('./finder.ts')) => load(address))
  finder.catch(() => {
    finder = null
  })
  return finder
}

async function search(words: string): Promise<void> {
  if (!list || !state) return
  if (words.trim() === '') {
    list.replaceChildren()
    state.textContent = ''
    return
  }
  try {
    const results = (await loadFinder())(words).slice(0, mostResults)
    if (input?.value !== words) return
    list.replaceChildren(...results.map((result) => entryOf(result)))
    state.textContent = results.length > 0 ? '' : 'Nothing found.'
  } catch {
    state.textContent = 'The search could not be loaded. Try again.'
  }
}

function entryOf(result: Found): HTMLLIElement {
  const entry = document.createElement('li')
  const link = document.createElement('a')
  link.href = result.address
  const place = document.createElement('small')
  place.textContent = result.title
  const title = document.createElement('strong')
  title.textContent = result.heading
  const text = document.createElement('span')
  text.textContent = result.excerpt
  link.append(place, title, text)
  link.addEventListener('click', () => dialog?.close())
  entry.append(link)
  return entry
}

function openSearch(): void {
  dialog?.showModal()
  input?.select()
  void loadFinder().catch(() => undefined)
}

if (opener) {
  opener.hidden = false
  opener.addEventListener('click', openSearch)
}
input?.addEventListener('input', () => void search(input.value))
dialog?.addEventListener('click', (event) => {
  if (event.target === dialog) dialog.close()
})
/** While an input method composes, its keys choose among its own words. Safari tells so only by the old code of a key. */
const isComposing = (event: KeyboardEvent) => event.isComposing || event.keyCode === 229

dialog?.addEventListener('keydown', (event) => {
  if (isComposing(event)) return
  const links = [...dialog.querySelectorAll('a')]
  const at = links.findIndex((link) => link.matches(':focus'))
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (step !== 0) {
    event.preventDefault()
    const next = links[at + step]
    if (next) next.focus()
    else if (step < 0) input?.focus()
  } else if (event.key === 'Enter' && document.activeElement === input) links[0]?.click()
})
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') showMenu(false)
  const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select')
  const isShortcut =
    (event.key === 'k' && (event.metaKey || event.ctrlKey)) || (event.key === '/' && !isTyping)
  if (!isShortcut || dialog?.open) return
  event.preventDefault()
  openSearch()
})
