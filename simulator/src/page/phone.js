import { drawAppBar } from './app-bar.js'
import { byId, icon, make } from './elements.js'
import { drawEmpty } from './empty.js'
import { showDay } from './format.js'
import { drawMessage } from './message.js'
import { appsOf, openApp, state } from './state.js'

export const APP_NAMES = { sms: 'Messages', whatsapp: 'WhatsApp', telegram: 'Telegram', email: 'Mail' }

let shown = ''

/** The phone in the middle, with one of its apps on the screen. */
export function drawPhone() {
  const phone = byId('phone')
  phone.dataset.app = state.app ?? 'none'
  drawAppBar(byId('app-bar'))
  drawDock(byId('dock'))
  drawMessages(byId('messages'))
}

/** Adds only what is missing, so that an open mail is not loaded again. */
function drawMessages(container) {
  const key = `${state.open?.key ?? ''} ${state.app}`
  if (key !== shown) container.replaceChildren()
  const isAtEnd = key !== shown || container.scrollHeight - container.scrollTop - container.clientHeight < 80
  shown = key
  const messages = (state.open?.messages ?? []).filter((message) => message.channel === state.app)
  if (messages.length === 0) {
    container.replaceChildren(drawEmpty())
    return
  }
  container.querySelector('.empty')?.remove()
  const present = new Set([...container.children].map((child) => child.dataset.id))
  const missing = messages.filter((message) => !present.has(message.id))
  if (state.app === 'email') {
    for (const message of missing) container.prepend(drawMessage(message))
    if (missing.length > 0) container.scrollTop = 0
    return
  }
  for (const message of missing) {
    drawDay(container, message)
    container.append(drawMessage(message))
  }
  if (isAtEnd) container.scrollTop = container.scrollHeight
}

function drawDay(container, message) {
  const day = showDay(message.at)
  const last = [...container.querySelectorAll('.day')].at(-1)
  if (last?.textContent !== day) container.append(make('p', { className: 'day' }, day))
}

function drawDock(dock) {
  const apps = state.open === null ? [] : appsOf(state.open.recipient)
  const focused =
    document.activeElement?.parentElement === dock ? document.activeElement.dataset.channel : null
  dock.replaceChildren(...apps.map(drawApp))
  if (focused !== null) dock.querySelector(`[data-channel="${focused}"]`)?.focus()
}

function drawApp(app) {
  const unread = state.open?.unread.get(app)
  const data = unread === undefined ? { channel: app } : { channel: app, unread }
  const label = unread === undefined ? APP_NAMES[app] : `${APP_NAMES[app]}, ${unread} unread`
  const button = make(
    'button',
    { type: 'button', data, title: APP_NAMES[app], 'aria-label': label },
    icon(app),
  )
  button.setAttribute('role', 'tab')
  button.setAttribute('aria-selected', String(app === state.app))
  button.addEventListener('click', () => openApp(app))
  return button
}
