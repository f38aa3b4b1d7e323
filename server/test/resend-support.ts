/** A verification's row: read, aged, or compared. */
import assert from 'node:assert/strict'
import type { TestDatabase } from './harness/database.ts'
import { until } from './harness/fixtures.ts'

interface VerificationRow {
  readonly sends: number
  readonly code_version: number
  readonly expires_at: Date
  readonly resend_at: Date
  readonly channel: string
}

export async function getVerification(database: TestDatabase, otpId: string): Promise<VerificationRow> {
  const [found] = await database.query<VerificationRow>(
    'select sends, code_version, expires_at, resend_at, channel from verifications where otp_id = $1',
    [otpId],
  )
  assert.ok(found)
  return found
}

/** As if the verification had been started this much earlier. */
export const ageVerification = (database: TestDatabase, otpId: string, seconds: number) =>
  database.query(
    `update verifications set created_at = created_at - $2 * interval '1 second',
            expires_at = expires_at - $2 * interval '1 second', resend_at = resend_at - $2 * interval '1 second'
      where otp_id = $1`,
    [otpId, seconds],
  )

/** A refused resend leaves the verification, its deliveries and its decisions as they were. */
export async function assertChangesNothing(
  database: TestDatabase,
  otpId: string,
  act: () => Promise<void>,
): Promise<void> {
  const look = async () => ({
    verification: await getVerification(database, otpId),
    rows: await database.query(
      `select (select count(*) from deliveries where otp_id = $1) as deliveries,
              (select count(*) from decisions where otp_id = $1) as decisions,
              (select count(*) from links where otp_id = $1) as links,
              (select sum(cardinality(state)) from limits l where l.company_id = v.company_id) as counted,
              (select balance_micros from companies c where c.company_id = v.company_id) as money
         from verifications v where otp_id = $1`,
      [otpId],
    ),
  })
  // A message that the next one has overtaken is only refunded when its turn comes.
  await until('no message to wait', async () => {
    const waiting = await database.query("select 1 from deliveries where otp_id = $1 and status = 'queued'", [
      otpId,
    ])
    return waiting.length === 0
  })
  const earlier = await look()
  await act()
  assert.deepEqual(await look(), earlier)
}
