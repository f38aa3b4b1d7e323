/** The statement that judges guesses. */
import type { ChannelName } from '@countersign/contract'
import { bulkOf } from '../../../platform/bulk.ts'
import type { Queryable } from '../../../platform/database.ts'
import type { AppId, CompanyId, OtpId } from '../../../platform/ids.ts'
import { sourceOf } from '../../../platform/source.ts'
import { failuresLimitKey } from '../../guard/index.ts'
import type { LinkMode } from '../../routing/index.ts'
import { insertEvents, type OtpEvents } from '../../webhooks/index.ts'
import { approved, followApproval } from '../approval.ts'
import { insertedColumns } from '../issuing/batch-write-store.ts'

export interface Guess {
  readonly companyId: CompanyId
  readonly appId: AppId
  readonly otpId: OtpId
  readonly codeLength: number
  readonly codeMacs: readonly Buffer[]
  readonly keyId: string
  readonly tokenTtlSeconds: number
  /** Null if the key gets no token. */
  readonly tokenHash: Buffer | null
  readonly events: OtpEvents
}

interface Seen {
  readonly channel: ChannelName
  readonly status: 'pending' | 'approved' | 'failed'
  readonly attemptsRemaining: number
  readonly verifiedAt: Date | null
}

interface JudgedGuess extends Seen {
  readonly isJudged: true
  readonly isMatch: boolean
  readonly country: string | null
}

/** A verification that could not take the guess, as it was at that moment. */
export interface UnjudgedGuess extends Seen {
  readonly isJudged: false
  readonly isExpired: boolean
  readonly isReplayable: boolean
  readonly codeLength: number
  readonly codeMac: Buffer
  readonly dataKey: number
  readonly linkMode: LinkMode | null
  readonly approvedBy: string | null
  /** The remaining attempts that the answer to the approval named: wrong codes since then do not count. */
  readonly remainingThen: number
}

export type GuessOutcome = JudgedGuess | UnjudgedGuess

const failedGuessKeepSeconds = 86_400
const failedGuessesKept = 1_000

/** One text for each guess, since PostgreSQL cannot unnest a column of arrays of different lengths. */
const arrayText = (macs: readonly Buffer[]) =>
  `{${macs.map((mac) => `"\\\\x${mac.toString('hex')}"`).join(',')}}`

const guess = bulkOf<Guess>(
  {
    company_id: ['text', (row) => row.companyId],
    app_id: ['text', (row) => row.appId],
    otp_id: ['text', (row) => row.otpId],
    code_length: ['smallint', (row) => row.codeLength],
    code_macs: ['text', (row) => arrayText(row.codeMacs)],
    key_id: ['text', (row) => row.keyId],
    token_ttl_s: ['integer', (row) => row.tokenTtlSeconds],
    token_hash: ['bytea', (row) => row.tokenHash],
    new_event_id: ['text', (row) => row.events.eventId],
    approved_body: ['text', (row) => row.events.approvedBody],
    failed_body: ['text', (row) => row.events.failedBody],
  },
  1,
)

const outcome = sourceOf('outcome', ['company_id', 'app_id', 'otp_id'])
const wrong = sourceOf('wrong', ['app_id', 'recipient_hash'])

const isOwn = 'v.company_id = guess.company_id and v.app_id = guess.app_id and v.otp_id = guess.otp_id'
const isRight = 'v.code_mac = any(guess.code_macs::bytea[])'

/**
 * A verification that can still take the guess, locked. Wrong codes for an approved verification have to spend attempts
 * too, or its code could be tried for free. A verification that somebody else has locked is skipped, so that no guess
 * waits for another verification.
 */
const takeable = (table: string) => `
          select v.*, ${isRight} as is_match from ${table} v
           where ${isOwn} and v.code_length = guess.code_length and v.attempts < v.max_attempts
             and (v.status = 'pending' and v.expires_at > clock_timestamp() and v.link_mode is distinct from 'link_inbound'
                  or v.status = 'approved' and not ${isRight})
           limit 1 for update skip locked`

/**
 * `outcome` has each guess, with the verification as it was and its new status, or with nulls if it was not judged. The
 * limit cuts nothing off, but it makes PostgreSQL plan for a single row and keep that plan: without it each call is
 * planned again, which takes longer than judging it.
 */
const judged = (table: string) => `
      guess as (select * from ${guess.source} limit $${guess.next}),
      outcome as materialized (
        select v.*, guess, clock_timestamp() as judged_at,
               case when v.status <> 'pending' then v.status
                    when v.is_match then 'approved'
                    when v.attempts + 1 >= v.max_attempts then 'failed'
                    else 'pending' end as new_status
          from guess left join lateral (${takeable(table)}) v on true
      ), written as (
        insert into ${table} as v (${insertedColumns}, status, attempts, guessed_at, verified_at, approved_by, replay_until, event_id)
        select ${insertedColumns}, new_status, attempts + (not is_match)::integer,
               case when is_match then guessed_at else guessed_at || judged_at end,
               case when is_match then judged_at else verified_at end,
               case when is_match then (guess).key_id else approved_by end,
               case when is_match then judged_at + (guess).token_ttl_s * interval '1 second' else replay_until end,
               case when new_status <> status then (guess).new_event_id else event_id end
          from outcome where is_match is not null
        on conflict (company_id, app_id, otp_id) do update
           set status = excluded.status, attempts = excluded.attempts, guessed_at = excluded.guessed_at, verified_at = excluded.verified_at,
               approved_by = excluded.approved_by, replay_until = excluded.replay_until, event_id = excluded.event_id
      )`

/** Several wrong codes may be for one recipient, whose row is then written once. */
const failure = `
      failure as (
        insert into limits as l (company_id, limit_key, state, expires_at)
        select company_id, limit_key, array_agg(at order by at), clock_timestamp() + ${failedGuessKeepSeconds} * interval '1 second'
          from (select company_id, ${failuresLimitKey(wrong)} as limit_key, (extract(epoch from judged_at) * 1000)::bigint as at
                  from outcome wrong where not is_match and recipient_hash is not null) one
         group by company_id, limit_key order by company_id, limit_key
        on conflict (company_id, limit_key) do update
           set state = (l.state || excluded.state)[greatest(1, cardinality(l.state) + cardinality(excluded.state) + 1 - ${failedGuessesKept}):],
               expires_at = excluded.expires_at
        returning 1
      )`

const judgeText = (table: string, isGuarded: boolean) => `
      with /* every company: guesses that came together; each is held to the company of its key */
      ${judged(table)}, approved as (
        select company_id, app_id, otp_id, recipient_hash, ip_key, country, created_at, spend_at, spend_micros,
               (guess).new_event_id as event_id, (guess).approved_body as event_body, (guess).token_ttl_s, (guess).token_hash, judged_at
          from outcome where is_match
      ), ${failure}, ${followApproval(approved, { isGuarded, before: 'failure' })}
      , token as (
        insert into tokens (company_id, app_id, token_hash, otp_id, expires_at)
        select company_id, app_id, token_hash, otp_id, judged_at + token_ttl_s * interval '1 second'
          from approved where token_hash is not null
      ), failed_event as (${insertEvents(outcome, {
        type: 'otp.failed',
        eventId: '(guess).new_event_id',
        body: '(guess).failed_body',
        where: "new_status = 'failed' and not is_match",
      })}
      )
      select otp_id, is_match, new_status as status, channel, max_attempts - attempts - (not is_match)::integer as attempts_remaining,
             case when is_match then judged_at end as verified_at, null::boolean as is_expired, null::boolean as is_replayable,
             null::smallint as code_length, null::bytea as code_mac, null::smallint as data_key, null as link_mode, null as approved_by, null::integer as remaining_then,
             country
        from outcome where is_match is not null
       union all
      select guess.otp_id, null, v.status, v.channel, v.max_attempts - v.attempts, v.verified_at,
             v.status = 'pending' and v.expires_at <= clock_timestamp(), coalesce(v.replay_until > clock_timestamp(), false),
             v.code_length, v.code_mac, v.data_key, v.link_mode, v.approved_by,
             v.max_attempts - (select count(*)::integer from unnest(v.guessed_at) wrong_at where wrong_at <= v.verified_at),
             null
        from (select (guess).* from outcome where is_match is null) guess
       cross join lateral (select * from ${table} v where ${isOwn} limit 1) v`

/**
 * One statement judges guesses, each for a verification of its own, and does all that follows: approval, event, token,
 * and the send given back to the limit of its address; or the attempt spent, the failure counted, and the event of the
 * last attempt. If a verification cannot take its guess, the outcome says why. A verification that does not exist has
 * no outcome.
 *
 * Rows are found one by one and written by their key, since a join that was planned while a day's partition was small
 * would later read it whole. Verifications are locked first and without waiting, then limits in the order of their
 * keys.
 */
export async function judgeGuesses(
  queryable: Queryable,
  table: string,
  guesses: readonly Guess[],
  isGuarded: boolean,
): Promise<Map<string, GuessOutcome>> {
  const found = await queryable.query<OutcomeRow>({
    name: `judge-guesses${isGuarded ? '' : '-unguarded'} ${table}`,
    text: judgeText(table, isGuarded),
    values: [...guess.values(guesses), guesses.length],
  })
  return new Map(found.rows.map((row) => [row.otp_id, outcomeOf(row)]))
}

type OutcomeRow = {
  otp_id: string
  status: 'pending' | 'approved' | 'failed'
  channel: ChannelName
  attempts_remaining: number
  verified_at: Date | null
} & (
  | { is_match: boolean; country: string | null }
  | {
      is_match: null
      is_expired: boolean
      is_replayable: boolean
      code_length: number
      code_mac: Buffer
      data_key: number
      link_mode: LinkMode | null
      approved_by: string | null
      remaining_then: number
    }
)

function outcomeOf(row: OutcomeRow): GuessOutcome {
  const seen = {
    status: row.status,
    channel: row.channel,
    attemptsRemaining: row.attempts_remaining,
    verifiedAt: row.verified_at,
  }
  if (row.is_match !== null) return { ...seen, isJudged: true, isMatch: row.is_match, country: row.country }
  return {
    ...seen,
    isJudged: false,
    isExpired: row.is_expired,
    isReplayable: row.is_replayable,
    codeLength: row.code_length,
    codeMac: row.code_mac,
    dataKey: row.data_key,
    linkMode: row.link_mode,
    approvedBy: row.approved_by,
    remainingThen: row.remaining_then,
  }
}
