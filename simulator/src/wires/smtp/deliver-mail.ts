import type { SMTPServerSession } from 'smtp-server'
import { type Behaviours, type Outcome, reachesPerson } from '../../behaviour.ts'
import type { Inbox } from '../../inbox.ts'
import { RECEIPT_GAP_MS } from '../../receipt-gap.ts'
import type { Schedule } from '../../schedule.ts'
import type { Action, DeliveryReport } from './delivery-status.ts'
import type { Mail } from './read-mail.ts'
import type { ReportSender } from './report-sender.ts'

export interface Post {
  readonly inbox: Inbox
  readonly behaviours: Behaviours
  readonly schedule: Schedule
  readonly reports: ReportSender
}

type Recipient = SMTPServerSession['envelope']['rcptTo'][number]

const PLANS: Record<Outcome, readonly Action[]> = {
  deliver: ['delivered'],
  duplicate: ['delivered', 'delayed', 'delivered'],
  fail: ['failed'],
  silent: [],
  reject: [],
  unreachable: [],
  error: [],
  throttle: [],
}

const NOTIFY_WORD: Record<Action, string> = { delivered: 'SUCCESS', failed: 'FAILURE', delayed: 'DELAY' }
// RFC 3461 §4.1: without NOTIFY, what goes wrong is reported and success is not.
const NOTIFY_DEFAULT = ['FAILURE', 'DELAY']

/** Puts an accepted mail in its recipients' inboxes and plans the reports. */
export async function deliverMail(
  post: Post,
  mail: Mail,
  envelope: SMTPServerSession['envelope'],
): Promise<void> {
  const arrivedAt = new Date()
  const plans = envelope.rcptTo.map((recipient) => ({
    recipient,
    behaviour: post.behaviours.take(recipient.address, 'email'),
  }))
  const delayMs = Math.max(0, ...plans.map((plan) => plan.behaviour.delayMs))
  if (delayMs > 0) await post.schedule.pause(delayMs)
  const returnPath = envelope.mailFrom === false ? '' : envelope.mailFrom.address
  for (const { recipient, behaviour } of plans) {
    if (reachesPerson(behaviour.outcome)) putInInbox(post.inbox, mail, recipient.address)
    else post.inbox.miss('email', recipient.address, behaviour.outcome)
    const report = {
      returnPath,
      recipient: recipient.address,
      originalRecipient: recipient.dsn?.orcpt ?? null,
      envelopeId: envelope.dsn?.envid ?? null,
      returnFull: envelope.dsn?.ret === 'FULL',
      arrivedAt,
      mail,
    }
    if (returnPath !== '') planReports(post, report, recipient, behaviour.outcome)
  }
}

function putInInbox(inbox: Inbox, mail: Mail, to: string): void {
  const html = mail.html === null ? {} : { html: mail.html }
  const { from, text, subject } = mail
  inbox.add({ channel: 'email', to, from, text, subject, ...html, raw: { text: mail.raw.toString('utf8') } })
}

function planReports(
  post: Post,
  report: Omit<DeliveryReport, 'action'>,
  recipient: Recipient,
  outcome: Outcome,
): void {
  const wanted = recipient.dsn?.notify ?? NOTIFY_DEFAULT
  const actions = PLANS[outcome].filter((action) => wanted.includes(NOTIFY_WORD[action]))
  const steps = actions.map((action) => () => post.reports.send({ ...report, action }))
  post.schedule.inSequence(RECEIPT_GAP_MS, steps)
}
