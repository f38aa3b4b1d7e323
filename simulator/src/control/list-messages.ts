import { json } from '../http/answer.ts'
import { Refusal } from '../http/refusal.ts'
import type { Handler } from '../http/router.ts'
import type { Inbox } from '../inbox.ts'
import type { WhatsAppPeople } from '../wires/whatsapp/people.ts'
import { parseChannelIfGiven, parseRecipient } from './parsers.ts'
import { readQuery } from './query.ts'

export function listMessages(inbox: Inbox): Handler {
  return ({ url }) => {
    const { given, fields } = readQuery(url, ['to', 'channel'])
    const to = given.to === undefined ? null : fields.read('to', parseRecipient, '')
    const channel = fields.read('channel', parseChannelIfGiven, null)
    fields.finish()
    return json(200, inbox.list({ to, channel }))
  }
}

export function clearMessages(inbox: Inbox, people: WhatsAppPeople): Handler {
  return () => {
    people.forgetWritten()
    inbox.clear()
    return { status: 204, headers: {}, body: '' }
  }
}

/** The message as the carrier received it. */
export function showRaw(inbox: Inbox): Handler {
  return ({ params }) => {
    const raw = inbox.findRaw(params[0] ?? '')
    if (raw === null) throw new Refusal(404, 'HTTPException', 'there is no such message')
    return json(200, raw)
  }
}
