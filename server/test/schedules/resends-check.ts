/** What must be true of a verification after resends, guesses and messages from the person. */
import type { ChannelName } from '@countersign/contract'
import type { App } from '../../src/domain/tenancy/index.ts'
import type { OtpId } from '../../src/platform/ids.ts'
import type { Stage } from './stage.ts'
import type { World } from './world.ts'

/** What people did, and the answers they got. */
export interface Done {
  readonly resends: { readonly channel: ChannelName | null; answer: string | null }[]
  /** Without a version the code was never right. */
  readonly guesses: { readonly version: number | null; answer: string | null }[]
  /** Without a sender it is the text of a link that was shown and not sent yet. */
  readonly written: {
    readonly text: string
    readonly from: string | null
    isAcknowledged: boolean
    acknowledgedMs: number
  }[]
}

interface Row {
  readonly status: string
  readonly sends: number
  readonly attempts: number
  readonly max_attempts: number
  readonly code_version: number
  readonly link_mode: string | null
  readonly expires_ms: number
  readonly events: string[]
  readonly deliveries: number
  readonly replies: number
  readonly links: number
  readonly answered: number
  readonly decided_ms: number[]
}

interface Subject {
  readonly app: App
  readonly otpId: OtpId
}

export async function checkResends(world: World, stage: Stage, done: Done, subject: Subject): Promise<void> {
  const [row] = await stage.post.look<Row>(
    `select status, sends::integer, attempts::integer, max_attempts::integer, code_version::integer, link_mode,
            (extract(epoch from expires_at) * 1000)::float8 as expires_ms,
            array(select type from events e where e.otp_id = v.otp_id and type like 'otp.%') as events,
            (select count(*) from deliveries d where d.otp_id = v.otp_id and reply_to is null)::integer as deliveries,
            (select count(*) from deliveries d where d.otp_id = v.otp_id and reply_to is not null)::integer as replies,
            (select count(*) from links l where l.otp_id = v.otp_id)::integer as links,
            (select coalesce(sum(cardinality(answered)), 0) from links l where l.otp_id = v.otp_id)::integer as answered,
            array(select (extract(epoch from created_at) * 1000)::float8 from decisions d
                   where d.otp_id = v.otp_id and kind = 'resend' order by created_at) as decided_ms
       from verifications v where otp_id = $1`,
    [subject.otpId],
  )
  if (!row) return world.violate('the verification is gone')
  const expected =
    row.status === 'approved' ? ['otp.approved'] : row.status === 'failed' ? ['otp.failed'] : []
  if (row.events.join() !== expected.join())
    world.violate(`${row.status} with the events ${row.events.join()}`)
  checkSends(world, done, row, subject)
  checkGuesses(world, done, row)
  checkWritten(world, stage, done, row, subject)
}

const unknown = (answer: string | null) => answer === null || answer === 'UnavailableError'

function checkSends(world: World, { resends }: Done, row: Row, { app }: Subject): void {
  const told = resends.filter(({ answer }) => answer === 'sent').length
  const open = resends.filter(({ answer }) => unknown(answer)).length
  if (row.decided_ms.length < told)
    world.violate(`${told} resends were told, and ${row.decided_ms.length} are kept`)
  if (row.decided_ms.length > told + open)
    world.violate(
      `${row.decided_ms.length} resends are kept of ${told} that were told and ${open} that may be`,
    )
  if (row.sends !== row.deliveries + row.links)
    world.violate(`${row.sends} sends with ${row.deliveries} messages and ${row.links} links`)
  if (row.sends > app.settings.max_sends) world.violate(`${row.sends} sends of ${app.settings.max_sends}`)
  row.decided_ms.forEach((atMs, index) => {
    const before = row.decided_ms[index - 1]
    if (before !== undefined && atMs - before < app.settings.resend_cooldown_s * 1_000)
      world.violate(`two resends within ${atMs - before} ms`)
  })
}

function checkGuesses(world: World, { guesses }: Done, row: Row): void {
  if (row.attempts > row.max_attempts) world.violate(`${row.attempts} attempts of ${row.max_attempts}`)
  const judged = guesses.filter(({ answer }) => answer === 'pending' || answer === 'failed').length
  const others = guesses.filter(({ answer }) => answer !== 'matched').length
  if (row.attempts < judged || row.attempts > others)
    world.violate(`${row.attempts} attempts are spent, ${judged} guesses were judged wrong of ${others}`)
  for (const { version, answer } of guesses) {
    if (answer === 'matched' && version !== row.code_version)
      world.violate(`a code of version ${version} was right, and the newest is ${row.code_version}`)
    if (answer === 'matched' && row.status !== 'approved') world.violate('an approval is lost')
    if (version === 1 && row.code_version === 1 && (answer === 'pending' || answer === 'failed'))
      world.violate('the right code was judged wrong')
  }
}

function checkWritten(
  world: World,
  { keyring, phones }: Stage,
  { guesses, written }: Done,
  row: Row,
  { otpId }: Subject,
): void {
  const newest = keyring.linkReference(1, otpId, row.code_version)
  const counting = written.filter(({ text, from }) => from === phones.get(otpId) && text.includes(newest))
  const isGuessed = guesses.some(({ version }) => version === row.code_version)
  const isWritten = row.link_mode === 'link_inbound' && counting.length > 0
  if (row.status === 'approved' && !isGuessed && !isWritten) world.violate('approved by nobody')
  const isLost = counting.some(
    ({ isAcknowledged, acknowledgedMs }) => isAcknowledged && acknowledgedMs < row.expires_ms,
  )
  if (row.status === 'pending' && row.link_mode === 'link_inbound' && isLost)
    world.violate('a message that would approve was taken, and nothing came of it')
  if (row.replies !== row.answered) world.violate(`${row.replies} replies to ${row.answered} messages`)
  if (row.status === 'pending' && row.link_mode === 'link_code' && isLost && row.replies === 0)
    world.violate('a message was taken, and the code was not sent')
}
