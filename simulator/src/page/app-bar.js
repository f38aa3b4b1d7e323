import { icon, make } from './elements.js'
import { showRecipient } from './format.js'
import { closePhone, state } from './state.js'

/** The name of the other side of the conversation, as each app shows it. */
export function drawAppBar(bar) {
  bar.hidden = state.open === null
  if (state.open === null) return
  const { title, face, isVerified } = describe()
  const back = make('button', { type: 'button', className: 'back', 'aria-label': 'All phones' }, icon('back'))
  back.addEventListener('click', () => (state.isOverList ? history.back() : closePhone()))
  const name = make('strong', {}, title, ...(isVerified ? [icon('verified')] : []))
  const owner = make('small', {}, `phone of ${showRecipient(state.open.recipient)}`)
  const avatar = make('span', { className: 'avatar', 'aria-hidden': 'true' }, face)
  bar.replaceChildren(back, avatar, make('div', { className: 'who' }, name, owner))
}

function describe() {
  if (state.app === 'telegram')
    return { title: 'Verification Codes', face: icon('telegram'), isVerified: true }
  if (state.app === 'email') return { title: 'Inbox', face: icon('email') }
  if (state.app === 'whatsapp') {
    return { title: showRecipient(state.businessNumber ?? 'WhatsApp'), face: icon('whatsapp') }
  }
  const received = state.open.messages.filter((message) => message.channel === 'sms')
  const sender = received.at(-1)?.from
  if (sender === undefined) return { title: 'Messages', face: icon('sms') }
  const face = /^[A-Za-z]/.test(sender) ? sender.slice(0, 1).toUpperCase() : icon('sms')
  return { title: sender, face }
}
