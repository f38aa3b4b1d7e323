import { removeBehaviour } from './api.js'
import { byId, make } from './elements.js'
import { showRecipient } from './format.js'
import { nameOutcome } from './outcomes.js'
import { APP_NAMES } from './phone.js'
import { state } from './state.js'

let shown = ''

/** All rules that are set, for whichever recipient. */
export function drawRules() {
  const key = JSON.stringify(state.rules.map((rule) => [rule, showRecipient(rule.to)]))
  if (key === shown) return
  shown = key
  byId('rules-part').hidden = state.rules.length === 0
  byId('rules').replaceChildren(...state.rules.map(drawRule))
}

function drawRule(rule) {
  const who = rule.to === '*' ? 'Everybody' : showRecipient(rule.to)
  const where = rule.channel === null ? '' : ` on ${APP_NAMES[rule.channel]}`
  const delay = rule.delay_ms > 0 ? `, answers after ${rule.delay_ms / 1000} s` : ''
  const once = rule.once ? ', the next message only' : ''
  const remove = make(
    'button',
    { type: 'button', className: 'quiet', 'aria-label': `Remove the rule for ${who}${where}` },
    'Remove',
  )
  remove.addEventListener('click', () => removeBehaviour(rule))
  const words = `${nameOutcome(rule.outcome)}${delay}${once}`
  return make('li', {}, make('span', {}, make('strong', {}, `${who}${where}`), make('br'), words), remove)
}
