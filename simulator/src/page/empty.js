import { make } from './elements.js'
import { showRecipient, showTime } from './format.js'
import { state } from './state.js'

const WORDS = {
  sms: 'Send a code to this number by SMS, and it appears here.',
  whatsapp:
    'Send a code by WhatsApp, or write first: type below, or paste the wa.me link that your app shows.',
  telegram: 'Send a code to this number by Telegram, and it appears here.',
  email: 'Send a code to this address, and the email appears here.',
}

/** Tells what to do next. */
export function drawEmpty() {
  if (state.open === null) {
    return lockScreen(
      'Run the curl command that the service printed when it started. The message arrives here at once.',
      'Or open the phone of any number or address.',
    )
  }
  return empty('Nothing here yet', WORDS[state.app], showRecipient(state.open.recipient))
}

function lockScreen(...lines) {
  const clock = make('time', { className: 'clock' }, showTime(Date.now()))
  const screen = empty('Waiting for the first code', ...lines)
  screen.prepend(clock)
  screen.classList.add('lock')
  return screen
}

function empty(title, ...lines) {
  const paragraphs = lines.map((line) => make('p', {}, line))
  return make('div', { className: 'empty' }, make('strong', {}, title), ...paragraphs)
}
