/**
 * Every preset against a server that behaves as its vendor's documentation says. `wires/` has each gateway's requests,
 * answers and reports. One file runs them all, because a process for each would cost more than its tests.
 */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { presetNames } from '../../../contract/src/providers/http/preset-names.ts'
import { presets } from '../../../contract/src/providers/http/presets.ts'
import { http } from '../../src/channels/http/index.ts'
import { json, type SeenRequest } from './http-peer.ts'
import { callback, open, openWithPeer } from './http-support.ts'
import { generousDeadline, outgoing } from './support.ts'
import { basic, text, type Wire } from './wire.ts'
import { africastalkingWire } from './wires/africastalking.ts'
import { birdWire } from './wires/bird.ts'
import { infobipWire } from './wires/infobip.ts'
import { messagebirdWire } from './wires/messagebird.ts'
import { msg91Wire } from './wires/msg91.ts'
import { plivoWire } from './wires/plivo.ts'
import { simulatorWire } from './wires/simulator.ts'
import { sinchWire } from './wires/sinch.ts'
import { smsgateEvent, smsgateWire } from './wires/smsgate.ts'
import { snsWire } from './wires/sns.ts'
import { telnyxWire } from './wires/telnyx.ts'
import { vonageWire } from './wires/vonage.ts'

const token = 'receipt-secret'
/** If a preset authenticates receipts by a token, it is at the end of the callback address. */
const callbackUrl = (name: string) => {
  const found = http.callbackToken?.(http.settings.parse(settingsOf(name, 'https://g.example')))
  return found ? `https://otp.example/callbacks/acc_1/${found}` : 'https://otp.example/callbacks/acc_1'
}
const settingsOf = (name: string, url: string) => ({
  preset: name,
  receipt_secret: token,
  ...wires[name as keyof typeof wires].given,
  base_url: url,
})

const wires: Readonly<Record<(typeof presetNames)[number], Wire>> = {
  africastalking: africastalkingWire,
  bird: birdWire,
  infobip: infobipWire,
  messagebird: messagebirdWire,
  msg91: msg91Wire,
  plivo: plivoWire,
  simulator: simulatorWire,
  sinch: sinchWire,
  smsgate: smsgateWire,
  sns: snsWire,
  telnyx: telnyxWire,
  vonage: vonageWire,
}

/** The body that was sent, with the parts that differ on every run replaced by words. */
function bodyOf(request: SeenRequest | undefined, name: string): unknown {
  const { headers = {}, body = '' } = request ?? {}
  const isForm = headers['content-type'] === 'application/x-www-form-urlencoded'
  const sent: unknown = isForm ? Object.fromEntries(new URLSearchParams(body)) : JSON.parse(body)
  const plain = JSON.stringify(sent)
    .replaceAll(callbackUrl(name), 'CALLBACK')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'EXPIRES')
  return JSON.parse(plain)
}

for (const name of presetNames) {
  const wire = wires[name]
  describe(presets[name].label, () => {
    it('is sent what its documentation asks for', async (test) => {
      const { peer, account } = await openWithPeer(test, {}, (url) => settingsOf(name, url))
      peer.answer = json(200, {})
      await account.send(outgoing(), generousDeadline())
      const [request] = peer.requests
      assert.equal(request?.method, 'POST')
      assert.equal(request?.url, wire.path)
      for (const [header, expected] of Object.entries(wire.headers)) {
        const value: string = String(request?.headers[header])
        if (typeof expected === 'string') assert.equal(value, expected, header)
        else assert.match(value, expected, header)
      }
      assert.deepEqual(bodyOf(request, name), wire.body)
    })

    it('is understood when it answers', async (test) => {
      const { peer, account } = await openWithPeer(test, {}, (url) => settingsOf(name, url))
      for (const [status, answer, kind, word] of wire.answers) {
        peer.answer =
          typeof answer === 'string'
            ? (response) => response.writeHead(status).end(answer)
            : json(status, answer)
        const outcome = await account.send(outgoing(), generousDeadline())
        assert.equal(outcome.kind, kind, JSON.stringify(answer))
        if (word !== undefined)
          assert.equal(outcome.kind === 'accepted' ? outcome.messageId : outcome.error.code, word)
      }
    })

    it('is understood when it reports, and asks only for what it needs', (test) => {
      const account = open(test, settingsOf(name, 'https://g.example'))
      const secret = http.callbackToken?.(http.settings.parse(settingsOf(name, 'https://g.example'))) ?? null
      const type = wire.reportsForms ? 'application/x-www-form-urlencoded' : 'application/json'
      for (const [said, status, id, unreachable = false] of wire.receipts) {
        const body = wire.reportsForms
          ? new URLSearchParams(said as Record<string, string>).toString()
          : JSON.stringify(said)
        const request = callback({
          token: secret,
          headers: { 'content-type': type },
          body: Buffer.from(body),
        })
        const result = account.parseCallback?.(request)
        assert.ok(result?.kind === 'accepted')
        const receipts = result.receipts.map((one) => [one.status, one.messageId, one.unreachable])
        assert.deepEqual(receipts, status === null ? [] : [[status, id, unreachable]], JSON.stringify(said))
      }
      const { asks, optional = [], settings } = presets[name]
      assert.equal(wire.receipts.length === 0 && name !== 'simulator', settings.receipts === 'none')
      for (const asked of Object.keys(asks)) {
        if (optional.some((one) => one === asked) || asked in settings || asked === 'base_url') continue
        assert.ok(asked in wire.given, `${asked} is given`)
      }
    })
  })
}

it('a gateway that has no preset is connected by the settings of its page', async (test) => {
  const page = readFileSync(
    new URL('../../../docs/gateways/by-its-documentation.md', import.meta.url),
    'utf8',
  )
  const [, shown = ''] = /## A real one[\s\S]*?```json\n([\s\S]*?)\n```/.exec(page) ?? []
  const written = { ...JSON.parse(shown), user: 'u1', secret: 'p1', receipt_secret: token }
  const { peer, account } = await openWithPeer(test, {}, (url) => ({ ...written, base_url: url }))
  const answers = [
    [200, '{"status":"created","id":"s70df","to":"+14155550123","parts":1,"cost":3500}', 'accepted'],
    [401, 'API access requires Basic HTTP authentication', 'broken'],
    [403, 'Not enough credits', 'broken'],
    [400, 'Invalid to number', 'refused'],
    [500, 'x', 'retry'],
  ] as const
  for (const [status, said, kind] of answers) {
    peer.answer = (response) => response.writeHead(status).end(said)
    const outcome = await account.send(outgoing(), generousDeadline())
    assert.equal(outcome.kind, kind, said)
    if (outcome.kind === 'accepted') assert.equal(outcome.messageId, 's70df')
  }
  const [request] = peer.requests
  assert.equal(request?.url, '/a1/sms')
  assert.equal(request?.headers.authorization, basic('u1', 'p1'))
  const { whendelivered = '', ...sent } = Object.fromEntries(new URLSearchParams(request?.body))
  assert.deepEqual(sent, { from: 'Shop', to: '+14155550123', message: text })
  assert.match(whendelivered, /^https:\/\/otp\.example\/callbacks\//)
  for (const [status, expected] of [
    ['delivered', ['delivered']],
    ['failed', ['failed']],
    ['sent', []],
  ] as const) {
    const result = account.parseCallback?.(
      callback({
        token: http.callbackToken?.(http.settings.parse(written)) ?? null,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: Buffer.from(new URLSearchParams({ id: 's70df', status }).toString()),
      }),
    )
    assert.ok(result?.kind === 'accepted')
    assert.deepEqual(
      result.receipts.map((one) => one.status),
      expected,
    )
  }
})

it('a gateway that answers and reports in lists is connected by the settings of its page', async (test) => {
  const page = readFileSync(
    new URL('../../../docs/gateways/by-its-documentation.md', import.meta.url),
    'utf8',
  )
  const [, shown = ''] =
    /## One that answers and reports in lists[\s\S]*?```json\n([\s\S]*?)\n```/.exec(page) ?? []
  const written = { ...JSON.parse(shown), user: 'u1', secret: 'p1', receipt_secret: token }
  const { peer, account } = await openWithPeer(test, {}, (url) => ({ ...written, base_url: url }))
  const taken = (type: string) =>
    `[{"id":"4159657","type":"SENT","status":{"id":"${type}.null","type":"${type}"}}]`
  const wrong = (kind: string, status: number) =>
    `{"type":"https://developer.bulksms.com/json/v1/errors#${kind}","title":"${kind}","status":${status}}`
  for (const [status, said, kind] of [
    [201, taken('ACCEPTED'), 'accepted'],
    [201, taken('FAILED'), 'refused'],
    [201, taken('UNKNOWN'), 'uncertain'],
    [403, wrong('insufficient-credits', 403), 'broken'],
    [401, wrong('unauthorized', 401), 'broken'],
    [400, wrong('bad-request', 400), 'refused'],
    [503, 'x', 'retry'],
  ] as const) {
    peer.answer = (response) => response.writeHead(status).end(said)
    const outcome = await account.send(outgoing(), generousDeadline())
    assert.equal(outcome.kind, kind, said)
    if (outcome.kind === 'accepted') assert.equal(outcome.messageId, '4159657')
  }
  const [request] = peer.requests
  assert.equal(request?.url, '/v1/messages?auto-unicode=true')
  assert.equal(request?.headers.authorization, basic('u1', 'p1'))
  const { userSuppliedId: deliveryId, ...sent } = JSON.parse(request?.body ?? '')
  assert.deepEqual(sent, { to: '+14155550123', from: 'Shop', body: text })
  const report = (type: string, subtype: string | null) => ({
    id: '4159657',
    userSuppliedId: deliveryId,
    status: { id: `${type}.${subtype}`, type, subtype },
  })
  const result = (body: unknown) =>
    account.parseCallback?.(
      callback({
        token: http.callbackToken?.(http.settings.parse(written)) ?? null,
        headers: { 'content-type': 'application/json' },
        body: Buffer.from(JSON.stringify(body)),
      }),
    )
  const several = result([report('SENT', null), report('DELIVERED', null), report('FAILED', 'EXPIRED')])
  assert.ok(several?.kind === 'accepted')
  assert.deepEqual(
    several.receipts.map((one) => one.status),
    ['delivered', 'failed'],
  )
  const tried = result([])
  assert.ok(tried?.kind === 'accepted', 'it is tried with an empty list')
  assert.deepEqual(tried.receipts, [])
})

it('each preset has a page of the documents that shows its call and names what it asks for', () => {
  for (const name of presetNames) {
    const page = readFileSync(new URL(`../../../docs/gateways/${name}.md`, import.meta.url), 'utf8')
    assert.ok(page.includes(`"preset": "${name}"`), name)
    for (const asked of Object.keys(presets[name].asks))
      assert.ok(page.includes(`\`${asked}\``), `${name}: ${asked}`)
  }
})

it('a sender that nobody has set is left out, and not sent empty', async (test) => {
  const { peer, account } = await openWithPeer(test, {}, (url) => ({
    ...settingsOf('africastalking', url),
    from: undefined,
  }))
  await account.send(outgoing(), generousDeadline())
  assert.equal(new URLSearchParams(peer.requests[0]?.body).has('from'), false)
})

it('a phone’s own gateway may sign its receipts, over the body and the time', (test) => {
  const account = open(test, { ...settingsOf('smsgate', 'https://g.example'), receipts: 'hmac' })
  const body = Buffer.from(JSON.stringify(smsgateEvent('sms:delivered', {})))
  const time = '1735689600'
  const signature = createHmac('sha256', token).update(body).update(time).digest('hex')
  const kindOf = (signed: string) =>
    account.parseCallback?.(
      callback({
        body,
        headers: { 'content-type': 'application/json', 'x-signature': signed, 'x-timestamp': time },
      }),
    ).kind
  assert.equal(kindOf(signature), 'accepted')
  assert.equal(kindOf(signature.replace(/^./, (digit) => (digit === '0' ? '1' : '0'))), 'rejected')
})
