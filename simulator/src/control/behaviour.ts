import type { BehaviourRule, Behaviours } from '../behaviour.ts'
import { json } from '../http/answer.ts'
import { FieldReader } from '../http/fields.ts'
import { readJson } from '../http/read-body.ts'
import type { Handler } from '../http/router.ts'
import {
  parseChannelIfGiven,
  parseDelay,
  parseFlag,
  parseOutcome,
  parseRecipientOrEverybody,
} from './parsers.ts'
import { readQuery } from './query.ts'

export function putBehaviour(behaviours: Behaviours): Handler {
  return async ({ request }) => {
    const fields = new FieldReader(await readJson(request), ['to', 'channel', 'outcome', 'delay_ms', 'once'])
    const rule: BehaviourRule = {
      to: fields.read('to', parseRecipientOrEverybody, ''),
      channel: fields.read('channel', parseChannelIfGiven, null),
      outcome: fields.read('outcome', parseOutcome, 'deliver'),
      delayMs: fields.read('delay_ms', parseDelay, 0),
      isOnce: fields.read('once', parseFlag, false),
    }
    fields.finish()
    behaviours.set(rule)
    return json(200, present(rule))
  }
}

export function listBehaviour(behaviours: Behaviours): Handler {
  return () => json(200, behaviours.list().map(present))
}

/** Clears all rules, or the one that the query names. */
export function clearBehaviour(behaviours: Behaviours): Handler {
  return ({ url }) => {
    const query = readQuery(url, ['to', 'channel'])
    if (query.given.to === undefined) behaviours.clear()
    else {
      const to = query.fields.read('to', parseRecipientOrEverybody, '')
      const channel = query.fields.read('channel', parseChannelIfGiven, null)
      query.fields.finish()
      behaviours.remove(to, channel)
    }
    return { status: 204, headers: {}, body: '' }
  }
}

export function present(rule: BehaviourRule): Record<string, unknown> {
  return {
    to: rule.to,
    channel: rule.channel,
    outcome: rule.outcome,
    delay_ms: rule.delayMs,
    ...(rule.isOnce ? { once: true } : {}),
  }
}
