import { checkCode, sendCode } from './api.js'
import { announce, byId, make } from './elements.js'
import { changed, state } from './state.js'

const CHANNEL_NAMES = { sms: 'SMS', whatsapp: 'WhatsApp', telegram: 'Telegram', email: 'email' }

/** Sends a code to this phone and checks it, as a backend would. */
export function startTrying() {
  byId('try-send').addEventListener('click', () => attempt(send))
  byId('try-tool').addEventListener('submit', (event) => {
    event.preventDefault()
    attempt(check)
  })
}

export function drawTry() {
  const person = state.open
  byId('try-tool').hidden = state.service === null || person === null
  drawLink(byId('dashboard-link'), person)
  if (person === null) return
  const { started } = person
  byId('try-field').hidden = started === null || started.isOver
  byId('try-send').textContent = started === null ? 'Send a code' : 'Send another'
  byId('try-hint').textContent = hintOf(started)
}

function hintOf(started) {
  if (started === null) return 'As your backend would, with the key of the first app.'
  return started.isOver
    ? started.result
    : `Sent by ${CHANNEL_NAMES[started.channel]}. Type the code that arrives.`
}

/** A link to the verification that was started here, or to everything that was sent to the person. */
function drawLink(place, person) {
  place.hidden = state.service === null || person === null
  if (place.hidden) return
  const { dashboard, app_id: appId } = state.service
  const [text, path] =
    person.started === null
      ? ['Find in the dashboard', `find#to=${encodeURIComponent(person.recipient)}`]
      : ['Open the verification', `verifications/${person.started.otpId}`]
  const href = `${dashboard}/a/${appId}/${path}`
  if (place.firstChild?.href === href) return
  place.replaceChildren(make('a', { href, target: '_blank', rel: 'noreferrer' }, text))
}

async function attempt(work) {
  byId('try-problem').textContent = ''
  try {
    await work(state.open)
  } catch (error) {
    byId('try-problem').textContent = error.message
  }
  changed()
}

async function send(person) {
  const { otp_id: otpId, channel, completion } = await sendCode(person.recipient)
  person.started = { otpId, channel, isOver: completion === 'inbound', result: 'Use the link to finish.' }
  byId('try-code').value = ''
  announce('Sent')
}

async function check(person) {
  const {
    matched,
    status,
    attempts_remaining: left,
  } = await checkCode(person.started.otpId, byId('try-code').value.replaceAll(/\D/g, ''))
  const isOver = status !== 'pending'
  const result = matched ? 'Correct: the verification is approved.' : 'Wrong, and no attempts are left.'
  person.started = { ...person.started, isOver, result }
  byId('try-problem').textContent = isOver
    ? ''
    : `Wrong. ${left === 1 ? '1 attempt is' : `${left} attempts are`} left.`
  byId('try-code').value = ''
  announce(isOver ? result : 'Wrong')
}
