/** Traces: one tree for each verification, at a collector that the test plays, with nothing secret in it. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { z } from 'zod'
import { Trees } from '../src/platform/trace.ts'
import { createTenant, freshPhone, send, started, until, verify } from './harness/fixtures.ts'
import { type Service, startService } from './harness/service.ts'

const hex = (length: number) => z.string().regex(new RegExp(`^[0-9a-f]{${length}}$`))
const nano = z.string().regex(/^\d{19}$/)
const attribute = z.strictObject({
  key: z.string(),
  value: z.union([z.strictObject({ stringValue: z.string() }), z.strictObject({ intValue: z.string() })]),
})
/** The JSON form of opentelemetry-proto: ids in hexadecimal, 64-bit numbers as strings. */
const exported = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes: z.array(attribute) }),
      scopeSpans: z.array(
        z.strictObject({
          scope: z.strictObject({ name: z.literal('countersign') }),
          spans: z.array(
            z.strictObject({
              traceId: hex(32),
              spanId: hex(16),
              parentSpanId: hex(16).optional(),
              name: z.string(),
              kind: z.int().min(1).max(3),
              startTimeUnixNano: nano,
              endTimeUnixNano: nano,
              attributes: z.array(attribute),
              links: z.array(z.strictObject({ traceId: hex(32), spanId: hex(16) })).optional(),
              status: z.strictObject({ code: z.literal(2) }).optional(),
            }),
          ),
        }),
      ),
    }),
  ),
})
type Span = z.output<typeof exported>['resourceSpans'][number]['scopeSpans'][number]['spans'][number]

describe('traces', () => {
  let collector: Server
  let service: Service
  const bodies: string[] = []
  const keys: (string | undefined)[] = []

  before(async () => {
    collector = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      if (request.url === '/v1/traces') {
        bodies.push(Buffer.concat(chunks).toString())
        keys.push(request.headers['x-collector-key']?.toString())
      }
      response.end()
    }).listen(0, '127.0.0.1')
    await once(collector, 'listening')
    const url = urlOf()
    service = await startService({ trace: { url, headers: { 'x-collector-key': 'k' }, share: 1 } })
  })
  after(async () => {
    await service.close()
    collector.close()
  })

  const urlOf = () => `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
  const spans = (): Span[] =>
    bodies.flatMap((body) =>
      exported
        .parse(JSON.parse(body))
        .resourceSpans.flatMap((one) => one.scopeSpans.flatMap((scope) => scope.spans)),
    )
  const has = ({ attributes }: Span, key: string, value: string) =>
    attributes.some((one) => one.key === key && 'stringValue' in one.value && one.value.stringValue === value)

  it('are one tree from the call over batch and carrier to the webhook', async () => {
    const { node } = service
    const tenant = await createTenant(node)
    await node.manage('POST', `/apps/${tenant.appId}/webhooks`, { url: `${urlOf()}/hook?token=hush` })
    const caller = { traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8) }
    const recipient = freshPhone()
    const answer = await send(
      node,
      tenant.serverKey,
      { recipient },
      { traceparent: `00-${caller.traceId}-${caller.spanId}-01` },
    )
    const otpId: string = answer.body.otp_id
    const { code } = await until('the message', () => node.capture.to(recipient)[0])
    assert.equal((await verify(node, tenant.serverKey, otpId, code)).body.matched, true)
    const tree = await until(
      'the whole tree',
      () => {
        const root = spans().find((span) => has(span, 'countersign.otp_id', otpId) && !span.parentSpanId)
        const own = spans().filter(({ traceId }) => traceId === root?.traceId)
        return own.some(({ name }) => name.startsWith('webhook')) && own.length >= 6 && own
      },
      30_000,
    )
    assert.deepEqual(tree.map(({ name }) => name).toSorted(), [
      'POST /api/v1/otp/send',
      'POST /api/v1/otp/verify',
      'batch send',
      'batch verify',
      'carrier sms',
      'webhook otp.approved',
    ])
    const [root, ...others] = tree.toSorted((one) => (one.parentSpanId ? 1 : -1))
    assert.deepEqual([root?.name, root?.links], ['POST /api/v1/otp/send', [caller]])
    assert.ok(others.every(({ parentSpanId }) => parentSpanId === root?.spanId))
    assert.equal(new Set(tree.map(({ spanId }) => spanId)).size, tree.length)
    assert.ok(keys.every((key) => key === 'k'))
    for (const secret of [recipient, recipient.slice(1), tenant.serverKey, 'hush'])
      assert.ok(!bodies.some((body) => body.includes(secret)), 'nothing secret')
    // Only as a separate word, because its digits may occur within a time.
    const said = spans().flatMap(({ attributes }) => attributes.flatMap(({ value }) => Object.values(value)))
    assert.deepEqual(
      said.filter((text) => new RegExp(`\\b${code}\\b`).test(text)),
      [],
    )
  })

  it('of a call that is about no verification are a tree of their own', async () => {
    const { node } = service
    const tenant = await createTenant(node)
    await started(node, tenant.serverKey)
    await send(node, tenant.serverKey, { recipient: 'nobody' })
    const refused = await until('the refused call', () =>
      spans().find(
        (span) =>
          has(span, 'countersign.app_id', tenant.appId) &&
          span.name === 'POST /api/v1/otp/send' &&
          span.attributes.some(
            ({ key, value }) =>
              key === 'http.response.status_code' && 'intValue' in value && value.intValue === '422',
          ),
      ),
    )
    assert.equal(refused.parentSpanId, undefined)
    assert.equal(spans().filter(({ traceId }) => traceId === refused.traceId).length, 1)
  })
})

describe('the trees', () => {
  const call = (subject: string, name: string) =>
    ({ subject, name, kind: 'server', durationMs: 5, attributes: {} }) as const

  it('have one root each: the call that began it, and none again for a repeat', () => {
    const written: { name: string; parentSpanId: string | null }[] = []
    const trees = new Trees({ share: 1, write: (span) => written.push(span) })
    trees.begin('otp_1')
    trees.recordCall(call('otp_1', 'send'))
    trees.recordCall(call('otp_1', 'repeat'))
    assert.deepEqual(
      written.map(({ name, parentSpanId }) => [name, parentSpanId === null]),
      [
        ['send', true],
        ['repeat', false],
      ],
    )
  })

  it('get a root where no call comes', () => {
    let nowMs = 1_000_000
    const written: { name: string; startMs: number }[] = []
    const trees = new Trees({ share: 1, write: (span) => written.push(span), nowMs: () => nowMs })
    trees.begin('otp_1')
    trees.plantOverdue()
    assert.deepEqual(written, [])
    nowMs += 10_000
    trees.plantOverdue()
    assert.deepEqual(
      written.map(({ name, startMs }) => [name, startMs]),
      [['verification', 1_000_000]],
    )
  })

  it('are chosen by the verification, the same on every node', () => {
    const choose = () => {
      const chosen = new Set<string>()
      const trees = new Trees({ share: 0.25, write: ({ name }) => chosen.add(name) })
      for (let number = 0; number < 2_000; number++) trees.record(call(`otp_${number}`, `otp_${number}`))
      return [...chosen]
    }
    const chosen = choose()
    assert.ok(chosen.length > 400 && chosen.length < 600)
    assert.deepEqual(choose(), chosen)
  })
})
