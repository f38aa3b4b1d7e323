import { announce, make } from './elements.js'

// Four to eight digits that are not part of a longer number, a word or an address.
const CODE = /(?<![\w+/.@-])\d{4,8}(?![\w/-]|\.\d)/g
const COPIED_MS = 1_400

export function findCode(text) {
  return text.match(CODE)?.[0] ?? null
}

/** The text with its codes as buttons that copy themselves. */
export function withCodes(text) {
  const parts = []
  let end = 0
  for (const match of text.matchAll(CODE)) {
    parts.push(text.slice(end, match.index), codeButton(match[0]))
    end = match.index + match[0].length
  }
  return [...parts, text.slice(end)]
}

export function codeButton(code) {
  const properties = {
    type: 'button',
    className: 'code',
    title: 'Copy',
    'aria-label': `Copy the code ${code}`,
  }
  const button = make('button', { ...properties, on: { click: () => copy(button, code) } }, code)
  return button
}

async function copy(button, code) {
  await writeClipboard(code)
  announce(`Copied ${code}`)
  button.dataset.copied = ''
  clearTimeout(button.timer)
  button.timer = setTimeout(() => delete button.dataset.copied, COPIED_MS)
}

async function writeClipboard(text) {
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    // Without https or localhost there is no clipboard, but a selection can still be copied.
    const area = make('textarea', { value: text, className: 'unseen' })
    document.body.append(area)
    area.select()
    document.execCommand('copy')
    area.remove()
  }
}
