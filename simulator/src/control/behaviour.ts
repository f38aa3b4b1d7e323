import type { BehaviourRule, Behaviours } from '../behaviour.ts'
import { json } from '../http/answer.ts'
import { FieldReader } from '../http/fields.ts'
import { readJson } from '../http/read-body.ts'
import type { Handler } from '../http/router.ts'
import { parseChannelIfGiven, parseDelay, parseOutcome, parseRecipientOrEverybody } from './parsers.ts'

export function putBehaviour(behaviours: Behaviours): Handler {
  return async ({ request }) => {
    const fields = new FieldReader(await readJson(request), ['to', 'channel', 'outcome', 'delay_ms'])
    const rule: BehaviourRule = {
      to: fields.read('to', parseRecipientOrEverybody, ''),
      channel: fields.read('channel', parseChannelIfGiven, null),
      outcome: fields.read('outcome', parseOutcome, 'deliver'),
      delayMs: fields.read('delay_ms', parseDelay, 0),
    }
    fields.finish()
    behaviours.set(rule)
    return json(200, present(rule))
  }
}

export function listBehaviour(behaviours: Behaviours): Handler {
  return () => json(200, behaviours.list().map(present))
}

export function clearBehaviour(behaviours: Behaviours): Handler {
  return () => {
    behaviours.clear()
    return { status: 204, headers: {}, body: '' }
  }
}

function present(rule: BehaviourRule): Record<string, unknown> {
  return { to: rule.to, channel: rule.channel, outcome: rule.outcome, delay_ms: rule.delayMs }
}
