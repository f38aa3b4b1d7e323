/** Signed proofs: what they say, who can check them, and that their keys change without a gap. */
import assert from 'node:assert/strict'
import { createPublicKey, verify as verifySignature } from 'node:crypto'
import { after, test } from 'node:test'
import { signingKeysAnswer } from '@countersign/contract'
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import { openDatabase } from '../src/platform/database.ts'
import { addDueSigningKey, dropOldSigningKeys } from '../src/platform/signing-keys.ts'
import {
  createTenant,
  freshEmail,
  freshPhone,
  message,
  send,
  started,
  until,
  verify,
  wrongCode,
} from './harness/fixtures.ts'
import type { Node } from './harness/node.ts'
import { dumpRows } from './harness/records.ts'
import { startTwoNodeService } from './harness/service.ts'

const publicUrl = 'https://otp.example.com'
const { database, nodes, close } = await startTwoNodeService({ publicUrl })
const direct = openDatabase(database.url, 2, () => {})
after(async () => {
  await direct.close()
  await close()
})
const [node, other] = nodes
const audience = 'https://shop.example.com'
const tenant = await createTenant(node, { proof: { enabled: true, audience } })

const jwksOf = async (at: Node): Promise<JSONWebKeySet> =>
  (await at.call('GET', '/.well-known/jwks.json')).body

async function proven(at: Node = node, key = tenant.serverKey, recipient = freshPhone()) {
  const earlier = at.capture.to(recipient).length
  const { body: sent } = await send(at, key, { recipient })
  const { code } = await message(at, recipient, earlier)
  const otpId: string = sent.otp_id
  const { status, body } = await verify(at, key, otpId, code)
  assert.equal(status, 200, JSON.stringify(body))
  return { otpId, code, body, proof: body.proof as string }
}

const partsOf = (proof: string) => {
  const [header = '', payload = '', signature = ''] = proof.split('.')
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
  return { header: read(header), claims: read(payload), signed: `${header}.${payload}`, signature }
}

/** Checked with the platform's crypto alone, as a service without our libraries would. */
function isSigned(proof: string, { keys }: JSONWebKeySet): boolean {
  const { header, signed, signature } = partsOf(proof)
  const jwk = keys.find(({ kid }) => kid === header.kid)
  if (!jwk) return false
  const key = createPublicKey({ key: { ...jwk }, format: 'jwk' })
  return verifySignature(null, Buffer.from(signed), key, Buffer.from(signature, 'base64url'))
}

test('where proofs are off, no answer has the field', async () => {
  const plain = await createTenant(node)
  const { otpId, code } = await started(node, plain.serverKey)
  for (const each of [wrongCode(code), code]) {
    const { body } = await verify(node, plain.serverKey, otpId, each)
    assert.ok(!('proof' in body))
  }
})

test('a right code gives both kinds of key a proof that says who, what, when and for whom', async () => {
  for (const key of [tenant.serverKey, tenant.publishableKey]) {
    const { otpId, body, proof } = await proven(node, key)
    const { header, claims } = partsOf(proof)
    assert.deepEqual([header.alg, header.typ], ['EdDSA', 'JWT'])
    const verifiedAt = Date.parse(body.verified_at)
    const { recipient_hash: hash, iat, exp, ...said } = claims
    assert.deepEqual(said, {
      iss: publicUrl,
      aud: audience,
      sub: otpId,
      app_id: tenant.appId,
      otp_id: otpId,
      channel: 'sms',
      recipient_type: 'phone',
      verified_at: body.verified_at,
    })
    assert.match(hash, /^[\w-]{22}$/)
    assert.deepEqual([iat, exp - iat], [Math.floor(verifiedAt / 1000), 300])
    assert.equal(body.verification_token === null, key === tenant.serverKey)
  }
})

test('a wrong code gives no proof', async () => {
  const { otpId, code } = await started(node, tenant.serverKey)
  assert.equal((await verify(node, tenant.serverKey, otpId, wrongCode(code))).body.proof, null)
})

test('whoever has the published keys can check a proof, and nobody can change it', async () => {
  const { proof } = await proven()
  const answer = await node.call('GET', '/.well-known/jwks.json')
  assert.match(answer.headers.get('cache-control') ?? '', /max-age=3600/)
  assert.equal(answer.headers.get('access-control-allow-origin'), '*')
  assert.deepEqual(signingKeysAnswer.parse(answer.body), answer.body, 'what is documented, and nothing else')
  assert.ok(isSigned(proof, answer.body))
  const { payload } = await jwtVerify(proof, createLocalJWKSet(answer.body), { issuer: publicUrl, audience })
  assert.equal(payload.app_id, tenant.appId)
  const { signed, signature } = partsOf(proof)
  const forged = signed.replace(
    /\.(.*)$/,
    (_, part) => `.${part.replace(/^./, (first: string) => (first === 'e' ? 'f' : 'e'))}`,
  )
  assert.ok(!verifies(forged, signature, answer.body))
})

function verifies(signed: string, signature: string, { keys }: JSONWebKeySet): boolean {
  return keys.some((jwk) =>
    verifySignature(
      null,
      Buffer.from(signed),
      createPublicKey({ key: { ...jwk }, format: 'jwk' }),
      Buffer.from(signature, 'base64url'),
    ),
  )
}

test('the audience of a proof is the app where none is set', async () => {
  const own = await createTenant(node, { proof: { enabled: true } })
  const { claims } = partsOf((await proven(node, own.serverKey)).proof)
  assert.equal(claims.aud, own.appId)
})

test('no app gets proofs that are for another one, which is told apart by its id', async () => {
  const victim = await createTenant(node, { proof: { enabled: true } })
  const attacker = await createTenant(node, { proof: { enabled: true } })
  for (const aimed of [victim.appId, ` ${victim.appId} `]) {
    const body = { name: 'Other', proof: { enabled: true, audience: aimed } }
    for (const answer of [
      await node.manage('PATCH', `/apps/${attacker.appId}`, { proof: { audience: aimed } }),
      await node.manage('POST', `/companies/${attacker.companyId}/apps`, body),
    ]) {
      assert.equal(answer.status, 422, JSON.stringify(answer.body))
      assert.equal(answer.body.error.details.fields[0].path, 'proof.audience')
    }
  }
  const { claims } = partsOf((await proven(node, attacker.serverKey)).proof)
  assert.equal(claims.aud, attacker.appId)
  const past = `update apps set settings = jsonb_set(settings, '{proof,audience}', to_jsonb($2::text)) where app_id = $1`
  await assert.rejects(database.query(past, [attacker.appId, victim.appId]), /check constraint/)
})

test('one person has one hash in an app, another in another, and it is not what the database has', async () => {
  const person = freshEmail()
  const elsewhere = await createTenant(node, { proof: { enabled: true } })
  const hashOf = async (key: string, recipient: string) =>
    partsOf((await proven(node, key, recipient)).proof).claims.recipient_hash as string
  const first = await hashOf(tenant.serverKey, person)
  assert.equal(await hashOf(tenant.serverKey, person), first)
  assert.notEqual(await hashOf(tenant.serverKey, freshEmail()), first)
  assert.notEqual(await hashOf(elsewhere.serverKey, person), first)
  const hex = Buffer.from(first, 'base64url').toString('hex')
  const rows = await dumpRows(database)
  assert.ok(rows.every(({ row }) => !row.includes(hex) && !row.includes(first)))
})

const spellings = [
  ['a tag', 'shopper@example.org', 'shopper+else@example.org', false],
  ['dots', 'shop.per@gmail.com', 'shopper@gmail.com', false],
  ['capitals', 'Shopper.Two@example.org', 'shopper.two@example.org', true],
  ['the digit that WhatsApp adds', '+5491123456789', '+541123456789', true],
] as const

for (const [by, one, other, isSame] of spellings) {
  test(`addresses that differ by ${by} have ${isSame ? 'one hash' : 'two hashes: they may be two people'}`, async () => {
    const hashOf = async (recipient: string) =>
      partsOf((await proven(node, tenant.serverKey, recipient)).proof).claims.recipient_hash
    assert.equal((await hashOf(one)) === (await hashOf(other)), isSame)
  })
}

test('a repeated verify has the same proof to the byte, on another node too', async () => {
  const { otpId, code, body } = await proven()
  assert.deepEqual((await verify(node, tenant.serverKey, otpId, code)).body, body)
  assert.deepEqual((await verify(other, tenant.serverKey, otpId, code)).body, body)
})

test('the private part of a key is in no table, and both nodes publish the same keys', async () => {
  const rows = await dumpRows(database)
  assert.ok(rows.some(({ table }) => table === 'signing_keys'))
  assert.ok(rows.every(({ row }) => !row.includes('"d"')))
  assert.deepEqual(await jwksOf(node), await jwksOf(other))
})

test('a key is published before it signs, and stays until what it signed is over', async () => {
  const age = async (interval: string) => {
    await database.query(`update signing_keys set active_from = active_from - interval '${interval}'`)
    await database.query('update changes set revision = revision + 1')
  }
  const kids = async (at: Node) => (await jwksOf(at)).keys.map(({ kid }) => kid)
  const keyring = node.app.keyring
  const [oldKid] = await kids(node)
  assert.equal(await addDueSigningKey({ database: direct, keyring }), false)
  await age('29 days')
  const made = await Promise.all([1, 2, 3].map(() => addDueSigningKey({ database: direct, keyring })))
  assert.deepEqual(made.filter(Boolean).length, 1)
  for (const at of nodes) {
    await until('both keys', async () => (await kids(at)).length === 2)
    assert.equal(partsOf((await proven(at)).proof).header.kid, oldKid)
  }
  const kept = await jwksOf(node)
  const { otpId, code, proof: before } = await proven()

  await age('1 day')
  const newKid = (await kids(node)).find((kid) => kid !== oldKid)
  for (const at of nodes) {
    await until('the new key signs', async () => partsOf((await proven(at)).proof).header.kid === newKid)
  }
  const { proof: afterwards } = await proven()
  for (const proof of [before, afterwards]) assert.ok(isSigned(proof, kept), 'kept keys still do')
  // The approval moves with the keys, to before the new one took over.
  await database.query(
    `update verifications set verified_at = verified_at - interval '1 day' where otp_id = $1`,
    [otpId],
  )
  const { proof: again } = (await verify(other, tenant.serverKey, otpId, code)).body
  assert.equal(partsOf(again).header.kid, oldKid, 'the key of the time of the approval signs')
  assert.equal(await dropOldSigningKeys({ database: direct }), 0)

  await age('1 day')
  assert.equal(await dropOldSigningKeys({ database: direct }), 1)
  for (const at of nodes) await until('one key', async () => (await kids(at)).join() === newKid)
  assert.ok(isSigned((await proven()).proof, await jwksOf(other)))
})
