import { getInfo, listen } from './api.js'
import { announce, byId } from './elements.js'
import { parseRecipient, showRecipient, showTime } from './format.js'
import { drawPeople } from './people.js'
import { APP_NAMES, drawPhone } from './phone.js'
import {
  addMessage,
  changed,
  forgetEverything,
  markUnread,
  onChange,
  openApp,
  openPhone,
  state,
} from './state.js'
import { drawTools, startTools } from './tools.js'
import { startWriting } from './write.js'

const CLOCK_MS = 5_000

function received(message) {
  const { received_at: at, has_html: hasHtml, ...rest } = message
  const isNew = addMessage(message.to, { ...rest, at, hasHtml, isOwn: false })
  if (!isNew) return
  if (state.open === null && window.matchMedia('(min-width: 721px)').matches) openPhone(message.to)
  const isLive = Date.now() - Date.parse(at) < CLOCK_MS
  const isOpen = state.open?.key === message.to.toLowerCase()
  if (!isLive) return
  announce(
    `${APP_NAMES[message.channel]} for ${showRecipient(message.to)}: ${message.subject ?? message.text}`,
  )
  const isTyping = byId('draft').value !== ''
  if (isOpen && (!isTyping || message.channel === state.app)) openApp(message.channel)
  else markUnread(message.to, message.channel)
}

function written(message) {
  const { from, sent_at: at, ...rest } = message
  if (from !== null) addMessage(from, { ...rest, from, at, channel: 'whatsapp', isOwn: true })
}

function openFromForm(event) {
  event.preventDefault()
  const input = byId('person')
  const recipient = parseRecipient(input.value)
  const problem = 'Enter a number with its country code, or an email address.'
  byId('person-problem').textContent = recipient === null ? problem : ''
  if (recipient === null) return
  input.value = ''
  openPhone(recipient)
}

function drawView() {
  const hash = state.open === null ? '' : `#${state.open.recipient}`
  if (location.hash !== hash) history.replaceState(null, '', hash === '' ? location.pathname : hash)
  document.body.dataset.view = state.open === null ? 'people' : 'phone'
}

function openFromAddress() {
  const recipient = parseRecipient(decodeURIComponent(location.hash.slice(1)))
  if (recipient !== null && state.open?.key !== recipient.toLowerCase()) openPhone(recipient)
}

function tick() {
  byId('clock').textContent = showTime(Date.now())
  const lockClock = document.querySelector('.lock .clock')
  if (lockClock !== null) lockClock.textContent = showTime(Date.now())
}

for (const draw of [drawView, drawPeople, drawPhone, drawTools]) onChange(draw)
startTools()
startWriting()
byId('open-phone').addEventListener('submit', openFromForm)
window.addEventListener('hashchange', openFromAddress)
openFromAddress()
tick()
setInterval(tick, CLOCK_MS)
changed()

listen({
  hello({ instance }) {
    if (state.instance !== null && state.instance !== instance) forgetEverything()
    state.instance = instance
  },
  message: received,
  written,
  connection(isOpen) {
    byId('connection').textContent = isOpen ? '' : 'The simulator cannot be reached. Trying again…'
  },
})

getInfo().then((info) => {
  state.businessNumber = info.whatsapp_number
  changed()
})
