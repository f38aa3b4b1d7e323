/** What a person would read in a mail that has no plain text. Every character is read once. */

const HIDDEN = new Set(['style', 'script', 'head'])
const LINE_ENDS = new Set(['br', '/p', '/div', '/tr', '/h1', '/h2', '/h3', '/h4', '/h5', '/h6'])
const MAX_TAG_NAME_LENGTH = 16
/** Four times as much as is kept of a message. */
const MAX_READ_CHARACTERS = 256 * 1024

export function htmlWords(html: string): string {
  return textOf(html.slice(0, MAX_READ_CHARACTERS))
    .replaceAll('&nbsp;', ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replace(/[ \t]+/g, ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n')
}

function textOf(html: string): string {
  const lower = html.toLowerCase()
  const parts: string[] = []
  let at = 0
  while (at < html.length) {
    const open = html.indexOf('<', at)
    const close = open === -1 ? -1 : html.indexOf('>', open)
    if (close === -1) break
    parts.push(html.slice(at, open))
    const name = tagName(lower, open, close)
    if (LINE_ENDS.has(name)) parts.push('\n')
    at = HIDDEN.has(name) ? afterHidden(lower, name, close) : close + 1
  }
  return [...parts, html.slice(at)].join('')
}

const tagName = (lower: string, open: number, close: number) =>
  /^\/?[a-z0-9]*/.exec(lower.slice(open + 1, Math.min(close, open + 1 + MAX_TAG_NAME_LENGTH)))?.[0] ?? ''

/** A hidden element that is never closed hides everything after it, as in a browser. */
function afterHidden(lower: string, name: string, close: number): number {
  const end = lower.indexOf(`</${name}>`, close)
  return end === -1 ? lower.length : end + name.length + 3
}
