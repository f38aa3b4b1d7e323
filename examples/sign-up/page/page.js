/** The page asks its own backend to start, lets the service check the code, and hands the proof to its backend. */
import { createVerification } from './countersign.js'
import { byChannel, over, problemOf, resendTexts, wrongCode } from './words.js'

/** Retries: the backend may be away for a moment, or the event of a WhatsApp message may still be on its way. */
const signUpDelaysMs = [0, 1_000, 3_000]
const isWorthRepeating = (status) => status === null || status === 409 || status >= 500

const find = (selector) => document.querySelector(selector)
const all = (selector) => [...document.querySelectorAll(selector)]

const { key, baseUrl, phonesUrl } = await (await fetch('config.json')).json()
const verification = createVerification({
  key,
  baseUrl,
  // A sandbox has no WhatsApp, but a simulated phone that can open the link.
  ...(phonesUrl === null ? {} : { openUrl: openOnSimulatedPhone }),
})
/** The state of the page itself: its own calls, and the recipient that the backend has confirmed. */
const freshPage = () => ({
  formId: crypto.randomUUID(),
  isStarting: false,
  isSigningUp: false,
  problem: null,
  account: null,
})
let page = freshPage()

find('[data-step=recipient]').addEventListener('submit', async (event) => {
  event.preventDefault()
  if (page.isStarting) return
  setPage({ isStarting: true, problem: null })
  const recipient = tidy(find('#recipient').value)
  if (phonesUrl !== null) find('[data-link=phones]').href = `${phonesUrl}/#${recipient}`
  const { status, body } = await post('start', { recipient, formId: page.formId, locale: navigator.language })
  if (status === 200) await verification.resume(body.otpId)
  setPage({ isStarting: false, problem: status === 200 ? null : body })
})

find('[data-step=code]').addEventListener('submit', async (event) => {
  event.preventDefault()
  const state = verification.getState()
  if (state.phase === 'verified') return signUp(state)
  const { isCodeWrong } = await verification.verify(find('#code').value)
  if (isCodeWrong) find('#code').select()
})

const actions = {
  resend: () => verification.resend(),
  sms: () => verification.resend({ channel: 'sms' }),
  whatsapp: () => verification.openWhatsApp(),
  restart: () => {
    page = freshPage()
    find('#code').value = ''
    verification.reset()
  },
}
for (const button of all('[data-action]')) {
  button.addEventListener('click', actions[button.dataset.action])
}

/** `verified` is a hint; the account exists when the backend says so. */
async function signUp({ verificationToken }) {
  const mine = page
  setPage({ isSigningUp: true, problem: null })
  for (const delayMs of signUpDelaysMs) {
    await new Promise((resolve) => setTimeout(resolve, delayMs))
    const { status, body } = await post('sign-up', { verificationToken })
    // The person has started again in the meantime.
    if (mine !== page) return
    if (status === 200) return setPage({ isSigningUp: false, account: body.recipient })
    page.problem = body
    if (!isWorthRepeating(status)) break
  }
  setPage({ isSigningUp: false })
}

function render() {
  const state = verification.getState()
  showStep(stepOf(state))
  const { masked, channel, recipient } = texts()
  for (const element of masked) element.textContent = state.maskedRecipient ?? ''
  channel.textContent = byChannel[state.channel] ?? ''
  recipient.textContent = page.account ?? ''
  const [title, why] = over[state.phase] ?? ['', '']
  find('[data-text=over]').textContent = title
  find('[data-text=why]').textContent = why
  find('[data-show=link]').hidden = state.actionUrl === null
  find('[data-show=sent]').hidden = state.actionUrl !== null
  if (state.code !== null) find('#code').value = state.code
  showProblems(state)
  showBusy(state)
}

const texts = () => ({
  masked: all('[data-text=masked]'),
  channel: find('[data-text=channel]'),
  recipient: find('[data-text=recipient]'),
})

function stepOf({ phase, otpId, completion }) {
  if (page.account !== null) return 'done'
  if (phase === 'expired' || phase === 'failed') return 'over'
  if (otpId === null) return 'recipient'
  return completion === 'inbound' ? 'inbound' : 'code'
}

function showStep(step) {
  for (const card of all('[data-step]')) {
    const isCurrent = card.dataset.step === step
    if (card.hidden !== isCurrent) continue
    card.hidden = !isCurrent
    if (isCurrent) (card.querySelector('input') ?? card.querySelector('h1')).focus()
  }
}

function showProblems({ error, isCodeWrong, attemptsRemaining }) {
  const problem = page.problem ?? error
  const text = isCodeWrong ? wrongCode(attemptsRemaining) : problem ? problemOf(problem) : ''
  for (const element of all('.problem')) if (element.textContent !== text) element.textContent = text
  for (const input of all('input')) input.setAttribute('aria-invalid', String(text !== ''))
}

function showBusy({ phase, resendIn }) {
  const isBusy = page.isStarting || page.isSigningUp || phase === 'sending' || phase === 'verifying'
  for (const button of all('.primary, .quiet'))
    button.disabled = isBusy && button.dataset.action !== 'restart'
  for (const [action, text] of Object.entries(resendTexts)) {
    const button = find(`[data-action=${action}]`)
    button.hidden = resendIn === null
    button.disabled ||= resendIn !== 0
    button.textContent = resendIn ? `${text} in ${resendIn} s` : text
  }
}

function openOnSimulatedPhone(link) {
  void navigator.clipboard.writeText(link)
  window.open(find('[data-link=phones]').href, 'countersign-phones')
  find('[data-text=hint]').textContent = 'The link is copied: paste it as a WhatsApp link on'
}

function setPage(changes) {
  Object.assign(page, changes)
  render()
}

/** People write numbers with spaces, dashes and brackets. */
const tidy = (text) => (text.includes('@') ? text.trim() : text.replace(/[\s().-]/g, '').replace(/^00/, '+'))

async function post(path, body) {
  try {
    const response = await fetch(path, { method: 'POST', body: JSON.stringify(body) })
    return { status: response.status, body: await response.json() }
  } catch {
    return { status: null, body: { type: 'ConnectionError' } }
  }
}

find('[data-show=phones]').hidden = phonesUrl === null
if (phonesUrl !== null) find('[data-link=phones]').href = phonesUrl
let lastPhase = 'idle'
verification.subscribe(() => {
  const state = verification.getState()
  const isNews = state.phase !== lastPhase
  lastPhase = state.phase
  if (isNews && state.phase === 'verified') void signUp(state)
  else render()
})
render()
