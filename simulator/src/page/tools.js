import { clearBehaviour, listBehaviour, putBehaviour } from './api.js'
import { announce, byId, make } from './elements.js'
import { parseWhatsAppLink, recipientKey, showRecipient } from './format.js'
import { OUTCOMES } from './outcomes.js'
import { APP_NAMES } from './phone.js'
import { appsOf, state } from './state.js'
import { sendAs } from './write.js'

let shownFor = null

export function startTools() {
  byId('outcome').append(...OUTCOMES.map(([value, name]) => make('option', { value }, name)))
  for (const id of ['outcome', 'delay', 'once']) byId(id).addEventListener('change', saveBehaviour)
  byId('on-channel').addEventListener('change', loadBehaviour)
  byId('clear-behaviour').addEventListener('click', () => attempt('behaviour-problem', clearAll))
  byId('link-tool').addEventListener('submit', (event) => {
    event.preventDefault()
    attempt('link-problem', sendLink)
  })
}

export function drawTools() {
  byId('tools').hidden = state.open === null
  if (state.open === null) return
  const { recipient } = state.open
  byId('tools-title').textContent = `As ${showRecipient(recipient)}`
  if (shownFor === state.open.key) return
  shownFor = state.open.key
  byId('link-tool').hidden = recipient.includes('@')
  const channels = appsOf(recipient).map((app) => make('option', { value: app }, APP_NAMES[app]))
  const all = channels.length > 1 ? [make('option', { value: '' }, 'any app')] : []
  byId('on-channel').replaceChildren(...all, ...channels)
  for (const id of ['link-problem', 'behaviour-problem', 'composer-problem', 'try-problem'])
    byId(id).textContent = ''
  loadBehaviour()
}

async function attempt(problem, work) {
  byId(problem).textContent = ''
  try {
    await work()
  } catch (error) {
    byId(problem).textContent = error.message
  }
}

async function sendLink() {
  const link = parseWhatsAppLink(byId('link').value)
  if (link === null) throw new Error('This is not a wa.me link with a number and a text.')
  await sendAs(state.open.recipient, link.to, link.text)
  byId('link').value = ''
}

function loadBehaviour() {
  return attempt('behaviour-problem', async () => {
    const key = state.open?.key
    const channel = byId('on-channel').value || null
    const rules = await listBehaviour()
    const rule = rules.find((known) => recipientKey(known.to) === key && known.channel === channel)
    byId('outcome').value = rule?.outcome ?? 'deliver'
    byId('once').checked = rule?.once ?? false
    const delay = byId('delay')
    delay.value = String(rule?.delay_ms ?? 0)
    if (delay.selectedIndex === -1) delay.value = '0'
    explainOutcome()
  })
}

function saveBehaviour() {
  explainOutcome()
  return attempt('behaviour-problem', async () => {
    const channel = byId('on-channel').value
    const rule = {
      to: state.open.recipient,
      outcome: byId('outcome').value,
      delay_ms: Number(byId('delay').value),
      once: byId('once').checked,
    }
    await putBehaviour(channel === '' ? rule : { ...rule, channel })
    announce('Saved')
  })
}

async function clearAll() {
  await clearBehaviour()
  await loadBehaviour()
  announce('Everything has been reset')
}

function explainOutcome() {
  const outcome = OUTCOMES.find(([value]) => value === byId('outcome').value)
  byId('outcome-hint').textContent = outcome?.[2] ?? ''
}

/** A rule was used up, removed, or set on another page. */
export function rulesChanged() {
  if (state.open !== null) loadBehaviour()
}
