/** IP lists through the whole service: what a caller, an operator and a resend see of them. */
import assert from 'node:assert/strict'
import { mkdtemp, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import { createTenant, freshPhone, resend, send, started, until } from './harness/fixtures.ts'
import { type Answer, type Node, startNode } from './harness/node.ts'
import { writeMmdb } from './harness/write-mmdb.ts'

const day = 86_400_000
const address = {
  abusive: '45.155.205.9',
  outdated: '45.155.206.9',
  changing: '45.155.207.9',
  tor: '185.220.101.7',
  vpn: '193.32.249.1',
  relay: '172.224.226.1',
  unlisted: '81.2.69.160',
} as const

describe('the reputation of addresses, in service', () => {
  let folder = ''
  let database: TestDatabase
  let node: Node

  const path = (name: string) => join(folder, name)
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countersign-reputation-'))
    await writeFile(path('drop.json'), `{"cidr":"45.155.205.0/24"}\n{"type":"metadata"}\n`)
    await writeFile(path('outdated.txt'), address.outdated)
    const old = new Date(Date.now() - 8 * day)
    await utimes(path('outdated.txt'), old, old)
    await writeFile(path('changing.txt'), '# nobody yet\n')
    await writeFile(path('tor.txt'), `${address.tor}\n10.0.0.0/8\n0.0.0.0/0\n`)
    await writeFile(
      path('privacy.mmdb'),
      writeMmdb({
        '193.32.249.0/24': { vpn: 'true', relay: '' },
        '172.224.226.0/27': { vpn: '', relay: 'true' },
      }),
    )
    await writeFile(
      path('sources.json'),
      JSON.stringify([
        { path: path('drop.json'), class: 'abusive' },
        { path: path('outdated.txt'), class: 'abusive' },
        { path: path('changing.txt'), class: 'abusive' },
        { path: path('tor.txt'), class: 'tor' },
        { path: path('privacy.mmdb'), format: 'mmdb' },
        { path: path('missing.txt'), class: 'hosting' },
      ]),
    )
    database = await createTestDatabase()
    node = await startNode(database.url, { ipSourcesFile: path('sources.json') })
  })
  after(async () => {
    await node?.close()
    await database?.close()
    await rm(folder, { recursive: true, force: true })
  })

  const byAddress = { limits: { ip: [{ max: 2, window_s: 600 }], flagged_ip: [{ max: 1, window_s: 600 }] } }
  const from = (key: string, client_ip: string) => send(node, key, { recipient: freshPhone(), client_ip })
  const refused = (answer: Answer, status: number, type: string, scope?: string) => {
    assert.equal(answer.status, status, JSON.stringify(answer.body))
    assert.equal(answer.body.error.type, type)
    if (scope) assert.equal(answer.body.error.details.scope, scope)
  }
  const why = async (key: string, otpId: string) => {
    const { body } = await node.call('GET', `/api/v1/otp/${otpId}/decision`, { key })
    return body.decisions
      .at(-1)
      .rules.find((rule: { rule: string; why: string }) => rule.rule === 'ip_reputation').why as string
  }

  it('a send from an abusive address is refused, in any way of writing it', async () => {
    const { serverKey } = await createTenant(node)
    for (const written of [address.abusive, `::ffff:${address.abusive}`, '64:ff9b::2d9b:cd09'])
      refused(await from(serverKey, written), 403, 'IpReputationBlockedError')
  })

  for (const name of ['tor', 'vpn'] as const) {
    it(`a send from a ${name} address is held to the tighter limit`, async () => {
      const { serverKey } = await createTenant(node, byAddress)
      const first = await from(serverKey, address[name])
      assert.equal(first.status, 200)
      assert.equal(await why(serverKey, first.body.otp_id), `Listed as ${name}.`)
      refused(await from(serverKey, address[name]), 429, 'RateLimitExceededError', 'flagged_ip')
    })
  }

  it('a send from a privacy relay, or from nowhere in particular, is held to the ordinary limit', async () => {
    for (const [each, words] of [
      [address.relay, 'Listed as relay.'],
      [address.unlisted, 'Not on any list.'],
    ] as const) {
      const { serverKey } = await createTenant(node, byAddress)
      assert.equal(await why(serverKey, (await from(serverKey, each)).body.otp_id), words)
      assert.equal((await from(serverKey, each)).status, 200)
      refused(await from(serverKey, each), 429, 'RateLimitExceededError', 'ip')
    }
  })

  it('a list that is too old has a send throttled instead of refused, and the decision says why', async () => {
    const { serverKey } = await createTenant(node, byAddress)
    const first = await from(serverKey, address.outdated)
    assert.equal(first.status, 200)
    assert.match(await why(serverKey, first.body.otp_id), /^Listed as abusive\. .*throttles/)
    refused(await from(serverKey, address.outdated), 429, 'RateLimitExceededError', 'flagged_ip')
  })

  it('who is let past the guard sends from an abusive address too, held to the tighter limit', async () => {
    const { serverKey, companyId } = await createTenant(node, byAddress)
    const sendAs = (recipient: string) => send(node, serverKey, { recipient, client_ip: address.abusive })
    const [first, second] = [freshPhone(), freshPhone()]
    for (const recipient of [first, second]) {
      refused(await sendAs(recipient), 403, 'IpReputationBlockedError')
      const made = await node.manage('POST', `/companies/${companyId}/exceptions`, {
        recipient,
        kind: 'allowed',
      })
      assert.equal(made.status, 201)
    }
    const passed = await sendAs(first)
    assert.equal(passed.status, 200, JSON.stringify(passed.body))
    assert.equal(
      await why(serverKey, passed.body.otp_id),
      'Listed as abusive. Somebody lets this recipient pass.',
    )
    refused(await sendAs(second), 429, 'RateLimitExceededError', 'flagged_ip')
  })

  it('an address that is not public is on no list, whatever the list says', async () => {
    const { serverKey } = await createTenant(node, byAddress)
    const { body } = await from(serverKey, '10.1.2.3')
    assert.equal(await why(serverKey, body.otp_id), 'No usable client_ip.')
  })

  it('a preview answers with the same refusal, and counts nothing', async () => {
    const { serverKey } = await createTenant(node)
    const body = { recipient: freshPhone(), client_ip: address.abusive }
    const answer = await node.call('POST', '/api/v1/routing/preview', { key: serverKey, body })
    assert.equal(answer.body.error.type, 'IpReputationBlockedError')
  })

  it('a resend is judged with the address of the send and the lists of its own time', async () => {
    const { serverKey } = await createTenant(node, { limits: { ip: [{ max: 1000, window_s: 600 }] } })
    const { otpId } = await started(node, serverKey, freshPhone(), { client_ip: address.changing })
    await writeFile(path('new.txt'), address.changing)
    await rename(path('new.txt'), path('changing.txt'))
    await until('the new list', async () => (await from(serverKey, address.changing)).status === 403)
    refused(await resend(node, serverKey, otpId), 403, 'IpReputationBlockedError')
    await writeFile(path('new.txt'), '# nobody any more\n')
    await rename(path('new.txt'), path('changing.txt'))
    await until('the old list', async () => (await resend(node, serverKey, otpId)).status === 200)
  })

  it('every list shows its age, and whether it is in order, among the metrics', async () => {
    const text = await (await fetch(`${node.baseUrl}/metrics`)).text()
    const value = (metric: string, source: string) =>
      Number(new RegExp(`^${metric}\\{source="${source}",class="[a-z ]+"\\} (\\S+)$`, 'm').exec(text)?.[1])
    assert.equal(value('countersign_ip_source_ok', 'drop.json'), 1)
    assert.equal(value('countersign_ip_source_ok', 'outdated.txt'), 0)
    assert.equal(value('countersign_ip_source_ok', 'missing.txt'), 0)
    assert.equal(value('countersign_ip_source_ok', 'privacy.mmdb'), 1)
    const age = value('countersign_ip_source_age_seconds', 'outdated.txt')
    assert.ok(age >= 8 * 86_400 && age < 8 * 86_400 + 600, String(age))
    assert.ok(!text.includes(folder), 'no path of the machine is told')
    assert.doesNotMatch(text, /ip_source_age_seconds\{source="missing.txt"/)
  })

  it('what is wrong with a list is logged once', () => {
    const lines = node.logged.filter(({ message }) => message === 'an IP list cannot be relied on')
    assert.deepEqual(lines.map(({ fields }) => `${fields.source}: ${fields.problem}`).sort(), [
      'missing.txt: ENOENT',
      'outdated.txt: is too old',
    ])
  })

  it('a file of sources that is broken keeps the service from starting, and says where', async () => {
    await writeFile(path('broken.json'), '[{"path": "x"}]')
    await assert.rejects(
      startNode(database.url, { ipSourcesFile: path('broken.json') }),
      /IP_SOURCES: .*broken\.json is not a list of sources:\n {2}entry 1: .*class/,
    )
  })
})
