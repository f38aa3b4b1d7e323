import { getInfo, getService, getSpelling, listen } from './api.js'
import { announce, byId } from './elements.js'
import {
  isSpellingKnown,
  learnSpelling,
  parseFragment,
  parseMask,
  parseRecipient,
  recipientKey,
  showRecipient,
  showTime,
} from './format.js'
import { sayMissed } from './outcomes.js'
import { drawPeople } from './people.js'
import { APP_NAMES, drawPhone } from './phone.js'
import { drawRules } from './rules.js'
import { startSifting } from './sift.js'
import {
  addMessage,
  changed,
  closePhone,
  findNewest,
  forgetEverything,
  markUnread,
  onChange,
  openApp,
  openPhone,
  state,
} from './state.js'
import { drawTools, rulesChanged, startTools } from './tools.js'
import { drawTry, startTrying } from './try.js'
import { startWriting } from './write.js'

const CLOCK_MS = 5_000

let isReady = false
/** The masked recipient in the address, until a person who matches it is known. */
let wanted = null

function received({ received_at: at, has_html: hasHtml, shown_to: shown, ...rest }) {
  learnSpelling(rest.to, shown)
  if (addMessage(rest.to, { ...rest, at, hasHtml, isOwn: false })) came(rest, rest.subject ?? rest.text)
}

function missed({ outcome, shown_to: shown, ...rest }) {
  learnSpelling(rest.to, shown)
  const text = sayMissed(outcome)
  if (addMessage(rest.to, { ...rest, text, isOwn: false, isMissed: true })) came(rest, text)
}

/** The history state of an address that the page has set itself, which is still there after a reload. */
const ownAddress = 'own'

/** Announces a message, unless it is one of those that were there when the page opened. */
function came({ to, channel }, text) {
  if (!isReady) return
  announce(`${APP_NAMES[channel]} for ${showRecipient(to)}: ${text}`)
  const isOpen = state.open?.key === recipientKey(to)
  if (isOpen && (!isTyping() || channel === state.app)) openApp(channel)
  else if (state.isFollowing && !state.isAsked && isWide() && !isTyping()) openPhone(to, channel)
  else markUnread(to, channel)
}

const isWide = () => window.matchMedia('(min-width: 721px)').matches
const isTyping = () =>
  ['draft', 'link', 'person', 'try-code'].some(
    (id) => byId(id).value !== '' || document.activeElement === byId(id),
  )

function ready() {
  isReady = true
  if (wanted !== null) openMasked()
  else if (state.open === null && isWide()) {
    const newest = findNewest()
    if (newest) openPhone(newest.recipient)
  }
}

function openMasked() {
  const { start, end } = wanted
  const person = findNewest(
    ({ key }) => key.startsWith(start.toLowerCase()) && key.endsWith(end.toLowerCase()),
  )
  wanted = null
  if (!person) return
  openPhone(person.recipient)
  state.isAsked = true
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

/** Asks for the spelling of a number that has had no message yet. */
function askSpelling() {
  const recipient = state.open?.recipient
  if (recipient === undefined || isSpellingKnown(recipient)) return
  learnSpelling(recipient, recipient)
  getSpelling(recipient).then(({ shown_to: shown }) => {
    learnSpelling(recipient, shown)
    changed()
  })
}

function drawView() {
  if (wanted !== null) return
  const isOpened = state.open !== null && document.body.dataset.view === 'people'
  document.body.dataset.view = state.open === null ? 'people' : 'phone'
  const hash = state.open === null ? '' : `#${state.open.recipient}`
  if (location.hash === hash) return
  // In a narrow window a phone takes the place of the list, so that Back has to lead to the list.
  state.isOverList ||= isOpened && !isWide()
  if (isOpened && state.isOverList) history.pushState(ownAddress, '', hash)
  else history.replaceState(ownAddress, '', hash === '' ? location.pathname : hash)
}

function openFromAddress() {
  const text = parseFragment(location.hash)
  if (text === '' && state.open !== null) return closePhone()
  wanted = parseMask(text)
  if (wanted !== null) return isReady ? openMasked() : undefined
  const recipient = parseRecipient(text)
  if (recipient === null || state.open?.key === recipientKey(recipient)) return
  openPhone(recipient)
  state.isAsked = history.state !== ownAddress
}

function tick() {
  byId('clock').textContent = showTime(Date.now())
  const lockClock = document.querySelector('.lock .clock')
  if (lockClock !== null) lockClock.textContent = showTime(Date.now())
}

for (const draw of [askSpelling, drawView, drawPeople, drawPhone, drawTools, drawRules, drawTry])
  onChange(draw)
startTools()
startSifting()
startTrying()
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
  missed,
  rules(rules) {
    for (const { to, shown_to: shown } of rules) learnSpelling(to, shown)
    state.rules = rules.filter(({ outcome, delay_ms: delay }) => outcome !== 'deliver' || delay > 0)
    rulesChanged()
    changed()
  },
  cleared() {
    forgetEverything()
  },
  ready,
  connection(isOpen) {
    byId('connection').textContent = isOpen ? '' : 'The simulator cannot be reached. Trying again…'
  },
})

getInfo().then((info) => {
  state.businessNumber = info.whatsapp_number
  changed()
})

const SERVICE_MS = 5_000

/** The service registers with the simulator when it has started, which may be after the page was opened. */
async function askService() {
  const answer = await getService().catch(() => null)
  state.service = answer?.service ?? null
  changed()
  if (state.service === null) setTimeout(askService, SERVICE_MS)
}

askService()
