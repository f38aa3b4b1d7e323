import { byId, icon, make } from './elements.js'
import { showRecipient, showTime } from './format.js'
import { lastAt, openPhone, state, unreadOf } from './state.js'

const MAX_SHOWN = 200
const NOBODY =
  'No messages yet. Run the curl command that the service printed when it started, or open a phone above.'

const NO_MATCH = 'No matches.'

const isSifted = () => state.search !== '' || state.onlyChannel !== ''

function isListed(person) {
  const messages = person.messages.filter(
    ({ channel }) => state.onlyChannel === '' || channel === state.onlyChannel,
  )
  if (state.onlyChannel !== '' && messages.length === 0) return false
  const wanted = plain(state.search)
  return (
    plain(person.recipient).includes(wanted) ||
    messages.some(({ subject, text }) => plain(`${subject ?? ''} ${text}`).includes(wanted))
  )
}

/** Ignores spaces and punctuation, so that a number is found however it is written. */
const plain = (text) => text.toLowerCase().replaceAll(/[\s().-]/g, '')

/** The list on the left, the latest first. */
export function drawPeople() {
  const people = [...state.people.values()]
    .filter(isListed)
    .sort((one, other) => lastAt(other).localeCompare(lastAt(one)))
  const list = byId('people')
  const focused = document.activeElement?.dataset?.key
  list.replaceChildren(...people.slice(0, MAX_SHOWN).map(drawPerson))
  if (people.length === 0) list.append(make('li', { className: 'nobody' }, isSifted() ? NO_MATCH : NOBODY))
  if (focused !== undefined) list.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus()
  const unread = people.reduce((sum, person) => sum + unreadOf(person), 0)
  document.title = `${unread > 0 ? `(${unread}) ` : ''}Phones · Countersign`
}

function drawPerson(person) {
  const last = person.messages.at(-1)
  const channel = last?.channel ?? (person.recipient.includes('@') ? 'email' : 'sms')
  const unread = unreadOf(person)
  const button = make(
    'button',
    { type: 'button', className: 'person', data: { key: person.key } },
    make('span', { className: 'face', data: last === undefined ? {} : { channel } }, icon(channel)),
    make('span', { className: 'name' }, showRecipient(person.recipient)),
    make('time', {}, last === undefined ? '' : showTime(last.at)),
    make('span', { className: 'preview' }, preview(last)),
    unread > 0 ? make('span', { className: 'unread', 'aria-label': `${unread} unread` }, String(unread)) : '',
  )
  if (person === state.open) button.setAttribute('aria-current', 'true')
  button.addEventListener('click', () => openPhone(person.recipient))
  return make('li', {}, button)
}

function preview(message) {
  if (message === undefined) return 'Nothing yet'
  if (message.isMissed) return message.text
  if (message.isOwn) return `You: ${message.text}`
  return message.subject ?? message.text
}
