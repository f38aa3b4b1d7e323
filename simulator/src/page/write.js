import { sendWhatsApp } from './api.js'
import { announce, byId } from './elements.js'
import { parseWhatsAppLink } from './format.js'
import { openPhone, state } from './state.js'

/** Sends a WhatsApp message as a person; it shows up through the stream, like any other. */
export async function sendAs(from, to, text) {
  openPhone(from, 'whatsapp')
  await sendWhatsApp(from, to, text)
  announce('Sent')
}

export function startWriting() {
  const draft = byId('draft')
  const composer = byId('composer')
  draft.addEventListener('keydown', (event) => {
    // Enter may belong to an input method; Safari tells so only by the old code of the key.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return
    event.preventDefault()
    composer.requestSubmit()
  })
  composer.addEventListener('submit', (event) => {
    event.preventDefault()
    sendDraft(draft)
  })
}

async function sendDraft(draft) {
  const typed = draft.value.trim()
  if (typed === '' || state.open === null) return
  const { to, text } = parseWhatsAppLink(typed) ?? { to: state.businessNumber, text: typed }
  draft.value = ''
  byId('composer-problem').textContent = ''
  try {
    await sendAs(state.open.recipient, to, text)
  } catch (error) {
    byId('composer-problem').textContent = error.message
  }
}
