import { json } from '../http/answer.ts'
import { FieldReader } from '../http/fields.ts'
import type { Handler } from '../http/router.ts'
import type { Inbox } from '../inbox.ts'
import { parseChannelIfGiven, parseRecipient } from './parsers.ts'

export function listMessages(inbox: Inbox): Handler {
  return ({ url }) => {
    const query = Object.fromEntries([...url.searchParams].filter(([, value]) => value !== ''))
    // A plus sign that was not escaped arrives as a space.
    if (query.to !== undefined) query.to = query.to.trim()
    const fields = new FieldReader(query, ['to', 'channel'])
    const to = query.to === undefined ? null : fields.read('to', parseRecipient, '')
    const channel = fields.read('channel', parseChannelIfGiven, null)
    fields.finish()
    return json(200, inbox.list({ to, channel }))
  }
}
