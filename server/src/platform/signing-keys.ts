/**
 * Keys that sign proofs, stored in the database, sealed by a data key. Their public parts are published.
 *
 * A key is published a day before it signs, and stays published for a day after the next one has taken over, so that
 * anybody who caches the published keys for an hour always has the right one. The database's clock decides when each
 * begins.
 */
import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWTHeaderParameters,
  SignJWT,
} from 'jose'
import { z } from 'zod'
import type { Database } from './database.ts'
import type { ExpiryDependencies } from './kept.ts'
import type { Keyring } from './keyring.ts'
import { raiseRevision } from './remember.ts'

/** EdDSA is deterministic, so a repeated answer is the same to the byte. */
const signingAlgorithm = 'EdDSA'
const periodDays = 30
const aheadDays = 1

export interface SigningKey {
  readonly kid: string
  readonly activeFromMs: number
  /** The public part, which anybody may have. */
  readonly publicKey: JWK
  readonly sign: (claims: Readonly<Record<string, unknown>>) => Promise<string>
}

export interface SigningKeys {
  /** The key that signs what happened at that time. */
  readonly at: (timeMs: number) => SigningKey
  readonly published: readonly JWK[]
}

interface SigningKeyRow {
  number: number
  kid: string
  sealed: Buffer
  active_from: Date
}

const okp = z.object({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: z.string(), d: z.string() })
const databaseNowMs = '(extract(epoch from clock_timestamp()) * 1000)::bigint'
const contextOf = (number: number) => `signing key ${number}`

/** Keys that are already known are not opened again. */
export async function loadSigningKeys(
  database: Database,
  keyring: Keyring,
  known: ReadonlyMap<string, SigningKey> = new Map(),
): Promise<SigningKeys & { readonly byKid: ReadonlyMap<string, SigningKey> }> {
  const { rows } = await database.query<SigningKeyRow>({ text: 'select * from signing_keys order by number' })
  const keys = await Promise.all(rows.map(async (row) => known.get(row.kid) ?? (await openKey(row, keyring))))
  // `active_from` is read each time, though it never changes in normal use.
  const timed = keys.map((key, index) => ({
    ...key,
    activeFromMs: rows[index]?.active_from.getTime() ?? key.activeFromMs,
  }))
  const [first] = timed
  if (!first) throw new Error('there is no signing key')
  return {
    at: (timeMs) => timed.findLast(({ activeFromMs }) => activeFromMs <= timeMs) ?? first,
    published: timed.map(({ publicKey }) => publicKey),
    byKid: new Map(timed.map((key) => [key.kid, key])),
  }
}

async function openKey(
  { number, kid, sealed, active_from }: SigningKeyRow,
  keyring: Keyring,
): Promise<SigningKey> {
  const { d, ...publicPart } = okp.parse(JSON.parse(keyring.open(sealed, contextOf(number))))
  const key = await importJWK({ ...publicPart, d }, signingAlgorithm)
  const header: JWTHeaderParameters = { alg: signingAlgorithm, typ: 'JWT', kid }
  return {
    kid,
    activeFromMs: active_from.getTime(),
    publicKey: { ...publicPart, kid, use: 'sig', alg: signingAlgorithm },
    sign: (claims) => new SignJWT({ ...claims }).setProtectedHeader(header).sign(key),
  }
}

/** Runs at start: makes the first key, which signs at once: nobody can have cached the published keys without it. */
export async function prepareSigningKeys(database: Database, keyring: Keyring): Promise<void> {
  const { rows } = await database.query<{ has_one: boolean; now_ms: bigint }>({
    text: `select exists (select 1 from signing_keys) as has_one, ${databaseNowMs} as now_ms`,
  })
  const [found] = rows
  if (!found || found.has_one) return
  await database.query({
    text: `insert into signing_keys (number, kid, sealed, active_from)
           values ($1, $2, $3, clock_timestamp()) on conflict do nothing`,
    values: await newKey(1, keyring, Number(found.now_ms)),
  })
}

async function newKey(number: number, keyring: Keyring, nowMs: number): Promise<unknown[]> {
  const { privateKey } = await generateKeyPair(signingAlgorithm, { crv: 'Ed25519', extractable: true })
  const jwk = okp.parse(await exportJWK(privateKey))
  const sealed = keyring.seal(keyring.current(nowMs), JSON.stringify(jwk), contextOf(number))
  return [number, await calculateJwkThumbprint(jwk), sealed]
}

/** Makes the next key when the newest is near its end. True if this call has made it. */
export async function addDueSigningKey({ database, keyring }: ExpiryDependencies): Promise<boolean> {
  const { rows } = await database.query<{ number: number; is_due: boolean; now_ms: bigint }>({
    text: `select number, active_from <= clock_timestamp() - interval '${periodDays - aheadDays} days' as is_due,
                  ${databaseNowMs} as now_ms
             from signing_keys order by number desc limit 1`,
  })
  const [newest] = rows
  if (!newest?.is_due) return false
  const values = await newKey(newest.number + 1, keyring(), Number(newest.now_ms))
  return database.transaction(async (transaction) => {
    // If two nodes make one, the second finds its number taken.
    const made = await transaction.query({
      text: `insert into signing_keys (number, kid, sealed, active_from)
             values ($1, $2, $3, clock_timestamp() + interval '${aheadDays} days') on conflict do nothing`,
      values,
    })
    if (made.rowCount === 1) await raiseRevision(transaction)
    return made.rowCount === 1
  })
}

/** Deletes the keys whose successor has signed for a day. */
export async function dropOldSigningKeys({
  database,
}: Pick<ExpiryDependencies, 'database'>): Promise<number> {
  return database.transaction(async (transaction) => {
    const gone = await transaction.query({
      text: `delete from signing_keys old
              where exists (select 1 from signing_keys next where next.number > old.number
                               and next.active_from <= clock_timestamp() - interval '${aheadDays} days')`,
    })
    if (gone.rowCount) await raiseRevision(transaction)
    return gone.rowCount ?? 0
  })
}
