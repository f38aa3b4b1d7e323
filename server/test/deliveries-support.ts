/** A queue without workers until a test starts some, and what becomes of its deliveries. */
import assert from 'node:assert/strict'
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Capture } from './harness/capture.ts'
import type { TestDatabase } from './harness/database.ts'
import { createTenant, freshPhone, send, until } from './harness/fixtures.ts'
import { type Node, startNode } from './harness/node.ts'
import { importable } from './harness/program.ts'
import { startService } from './harness/service.ts'

const masterKey = randomBytes(32)
export const masterKeys = { secrets: [masterKey] as [Buffer] }
export const busy = { code: 'busy', message: 'Not now.' }

/** A node that accepts sends and delivers nothing: its messages wait for a worker of the test. */
export const startQueue = () => startService({ role: 'api', masterKeys })

/** Runs a program that starts a node on the queue's database, in a separate process that can be killed. */
export function startApart(
  program: string,
  database: TestDatabase,
): ChildProcessByStdio<null, Readable, null> {
  const [harness, captures] = ['./harness/node.ts', './harness/capture.ts'].map((name) =>
    importable(new URL(name, import.meta.url)),
  )
  assert.ok(harness && captures)
  return spawn(process.execPath, [...harness.options, '--input-type=module', '-e', program], {
    env: {
      ...process.env,
      NODE_URL: harness.url.href,
      CAPTURE_URL: captures.url.href,
      TEST_DATABASE: database.url,
      TEST_MASTER_KEY: masterKey.toString('hex'),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

/** Messages that one test has left must not be delivered in the next. */
export const emptyQueue = (database: TestDatabase) =>
  database.query(`delete from deliveries where status = 'queued'`)

export async function withWorkers(
  database: TestDatabase,
  captures: readonly Capture[],
  run: (workers: Node[]) => Promise<void>,
): Promise<void> {
  const workers: Node[] = []
  try {
    for (const capture of captures) workers.push(await startNode(database.url, { capture, masterKeys }))
    await run(workers)
  } finally {
    await Promise.all(workers.map((worker) => worker.close()))
  }
}

export async function queued(api: Node, settings: Record<string, unknown> = {}) {
  const tenant = await createTenant(api, settings)
  const recipient = freshPhone()
  const { body } = await send(api, tenant.serverKey, { recipient })
  assert.equal(body.status, 'pending')
  return { ...tenant, recipient, otpId: body.otp_id as string }
}

interface DeliveryRow {
  readonly delivery_id: string
  readonly status: string
  readonly attempt: number
  readonly pause_s: number
  readonly error_code: string | null
  readonly charge: string
}

export const rowsOf = (database: TestDatabase, otpId: string) =>
  database.query<DeliveryRow>(
    `select delivery_id, status, attempt, error_code, charge,
            extract(epoch from next_attempt_at - updated_at)::float as pause_s
       from deliveries where otp_id = $1 order by delivery_id`,
    [otpId],
  )

export const settled = (database: TestDatabase, otpId: string, status: string) =>
  until(`a delivery that is ${status}`, async () => {
    const rows = await rowsOf(database, otpId)
    return rows.length > 0 && rows.every((row) => row.status === status) && rows
  })

/** As if its lease had ended and its holder had sent no heartbeat. */
export async function abandon(database: TestDatabase, otpId: string): Promise<void> {
  await database.query('delete from workers')
  await makeDue(database, otpId)
}

export const makeDue = (database: TestDatabase, otpId: string) =>
  database.query(`update deliveries set next_attempt_at = now() where otp_id = $1 and status = 'queued'`, [
    otpId,
  ])

/** Records every pause before a retry from now on, because each is over soon. */
export const noteRests = (database: TestDatabase) =>
  database.query(`
    create table rests (otp_id text, attempt integer, provider_id text, charge text, pause_s float);
    create function note_rest() returns trigger language plpgsql as $$ begin
      insert into rests values (new.otp_id, new.attempt, new.provider_id, new.charge,
                                extract(epoch from new.next_attempt_at - new.updated_at));
      return null;
    end $$;
    create trigger note_rest after update on deliveries for each row
      when (new.held_by is null and old.held_by is not null and new.status = 'queued') execute function note_rest()`)

interface Rest {
  readonly provider_id: string
  readonly charge: string
  readonly pause_s: number
}

/** The pause after this attempt, once it has begun. */
export const restAfter = (database: TestDatabase, otpId: string, attempt: number): Promise<Rest> =>
  until(`a rest after attempt ${attempt}`, async () => {
    const [row] = await database.query<Rest>(
      'select provider_id, charge, pause_s from rests where otp_id = $1 and attempt = $2',
      [otpId, attempt],
    )
    return row
  })

export const balanceOf = async (api: Node, companyId: string): Promise<string> =>
  (await api.manage('GET', `/companies/${companyId}`)).body.balance

export async function eventsOf(database: TestDatabase, otpId: string): Promise<string[]> {
  const events = await database.query<{ type: string }>(
    'select type from events where otp_id = $1 order by event_id',
    [otpId],
  )
  return events.map((event) => event.type)
}

const rounds = 7
const medianOf = (times: readonly number[]) => times.toSorted((left, right) => left - right)[rounds >> 1] ?? 0

/** A message must arrive within a second, plus time for a busy machine, judged by how long a send takes. */
export async function assertArrivesInASecond(node: Node, capture: Capture, key: string): Promise<void> {
  const accepting: number[] = []
  const arriving: number[] = []
  for (let round = 0; round < rounds; round++) {
    const recipient = freshPhone()
    const sentAtMs = performance.now()
    assert.equal((await send(node, key, { recipient })).status, 200)
    const acceptedAtMs = performance.now()
    await until('it to arrive', () => capture.to(recipient).length === 1)
    accepting.push(acceptedAtMs - sentAtMs)
    arriving.push(performance.now() - acceptedAtMs)
  }
  const boundMs = 1_000 + 5 * medianOf(accepting)
  assert.ok(medianOf(arriving) < boundMs, `${arriving.map(Math.round).join(' ')} ms, at most ${boundMs}`)
}
