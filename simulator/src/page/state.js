import { recipientKey } from './format.js'

const PHONE_APPS = ['sms', 'whatsapp', 'telegram']
const MAIL_APPS = ['email']

/** What the page knows: people, their messages, and which phone and app are open. */
export const state = {
  instance: null,
  businessNumber: null,
  people: new Map(),
  open: null,
  app: null,
  /** Until somebody picks an app, the phone shows the one that a message came in. */
  isAppChosen: false,
  /** Filters of the list of people. */
  search: '',
  onlyChannel: '',
  /** Whether a new message opens the phone that it comes to. */
  isFollowing: readFollowing(),
  /** Whether the open phone was named in the address: then a new message does not open another one. */
  isAsked: false,
  /** Whether Back leads from the open phone to the list. */
  isOverList: false,
  rules: [],
  /** Where the dashboard is, once the service has said so. */
  service: null,
}

export function setFollowing(isFollowing) {
  state.isFollowing = isFollowing
  state.isAsked = false
  try {
    localStorage.setItem('following', isFollowing ? 'yes' : 'no')
  } catch {
    // Storage may be forbidden; then the choice lasts as long as the page.
  }
  changed()
}

function readFollowing() {
  try {
    return localStorage.getItem('following') !== 'no'
  } catch {
    return true
  }
}

const listeners = new Set()
let isPlanned = false

export function onChange(listener) {
  listeners.add(listener)
}

/** Many messages may come at once; the page is drawn once for all of them. */
export function changed() {
  if (isPlanned) return
  isPlanned = true
  requestAnimationFrame(() => {
    isPlanned = false
    for (const listener of listeners) listener()
  })
}

export function appsOf(recipient) {
  return recipient.includes('@') ? MAIL_APPS : PHONE_APPS
}

function getPerson(recipient) {
  const key = recipientKey(recipient)
  const known = state.people.get(key)
  if (known !== undefined) return known
  const person = { key, recipient, messages: [], ids: new Set(), unread: new Map(), started: null }
  state.people.set(key, person)
  return person
}

/** The person with the newest message, among those that pass; undefined if there is none. */
export function findNewest(passes = () => true) {
  const people = [...state.people.values()].filter((person) => person.messages.length > 0 && passes(person))
  return people.sort((one, other) => lastAt(other).localeCompare(lastAt(one)))[0]
}

export function lastAt(person) {
  return person.messages.at(-1)?.at ?? '9999'
}

export function openPhone(recipient, app) {
  const person = getPerson(recipient)
  const apps = appsOf(recipient)
  state.open = person
  state.isAsked = false
  state.isAppChosen = app !== undefined
  state.app = app ?? person.messages.at(-1)?.channel ?? apps[0]
  person.unread.delete(state.app)
  changed()
}

export function openApp(app) {
  state.isAppChosen = true
  state.app = app
  state.open?.unread.delete(app)
  changed()
}

export function closePhone() {
  state.open = null
  state.app = null
  state.isOverList = false
  changed()
}

/** Adds a message once, in the order of time; says whether it was new. */
export function addMessage(recipient, message) {
  const person = getPerson(recipient)
  if (person.ids.has(message.id)) return false
  person.ids.add(message.id)
  person.messages.push(message)
  person.messages.sort((one, other) => one.at.localeCompare(other.at))
  if (person === state.open && !state.isAppChosen) state.app = person.messages.at(-1)?.channel ?? state.app
  changed()
  return true
}

export function markUnread(recipient, channel) {
  const person = getPerson(recipient)
  person.unread.set(channel, (person.unread.get(channel) ?? 0) + 1)
}

export function unreadOf(person) {
  return [...person.unread.values()].reduce((sum, count) => sum + count, 0)
}

/** An open phone stays open, without messages. */
export function forgetEverything() {
  state.people.clear()
  if (state.open !== null) openPhone(state.open.recipient, state.app)
  changed()
}
