/** How the answers of an HTTP gateway are read. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ProviderAccount } from '../../src/channels/channel.ts'
import { drop, garbage, huge, json } from './http-peer.ts'
import { body, callback, open, openWithPeer } from './http-support.ts'
import { closedPort, generousDeadline, outgoing } from './support.ts'

const send = (account: ProviderAccount) => account.send(outgoing({}), generousDeadline())

describe('any gateway: answers', () => {
  const settings = {
    message_id_at: ['/messages/0/id', 'header:X-Id'],
    code_at: ['/messages/0/status', '/error/code'],
    codes: {
      0: 'accepted',
      1: 'busy',
      'E5*': 'retry',
      E51: 'unreachable',
      NO_CREDIT: 'broken',
      '*': 'refused',
    },
    texts: { '*too many*': 'busy', 'maybe*': 'uncertain' },
    statuses: { 402: 'broken', '4xx': 'refused', 423: 'retry' },
    error_at: ['/error/text'],
  }

  it('mean what the account’s tables say: the code first, then the text, then the status', async (test) => {
    const { peer, account } = await openWithPeer(test, settings)
    const tried: readonly (readonly [number, unknown, string])[] = [
      [200, { messages: [{ status: '0', id: 'a' }] }, 'accepted'],
      [200, { messages: [{ status: 0 }] }, 'accepted'],
      [200, { messages: [{ status: '1' }] }, 'retry'],
      [400, { error: { code: 'e51' } }, 'unreachable'],
      [400, { error: { code: 'E52' } }, 'retry'],
      [200, { error: { code: 'no_credit' } }, 'broken'],
      [500, { error: { code: 'other' } }, 'refused'],
      [200, 'there were Too Many of them', 'retry'],
      [200, 'maybe', 'uncertain'],
      [402, 'there were too many of them', 'retry'],
      [402, {}, 'broken'],
      [423, {}, 'retry'],
      [404, {}, 'refused'],
      [503, {}, 'retry'],
      [200, {}, 'uncertain'],
      [302, {}, 'broken'],
    ]
    for (const [status, answer, kind] of tried) {
      peer.answer =
        typeof answer === 'string'
          ? (response) => response.writeHead(status).end(answer)
          : json(status, answer)
      assert.equal((await send(account)).kind, kind, `${status} ${JSON.stringify(answer)}`)
    }
  })

  it('are kept without the recipient, with the gateway’s code, and waited on as long as they say', async (test) => {
    const { peer, account } = await openWithPeer(test, settings)
    peer.answer = json(400, { error: { code: 'E9', text: 'no route to +14155550123' } })
    const refused = await send(account)
    assert.ok(refused.kind === 'refused')
    assert.deepEqual(refused.error, { code: 'E9', message: 'no route to [number]' })
    peer.answer = json(200, { messages: [{ status: '1' }] }, { 'retry-after': '7' })
    const busy = await send(account)
    assert.equal(busy.kind === 'retry' && busy.afterSeconds, 7)
    peer.answer = json(200, { messages: [{ status: '1' }] })
    const later = await send(account)
    assert.equal(later.kind === 'retry' && later.afterSeconds, 5)
  })

  it('need not be JSON: an id stands between texts, behind one, or in a header', async (test) => {
    const { peer, account } = await openWithPeer(test, {
      message_id_at: ['<id>{}</id>', 'ID: {}', 'header:X-Id'],
    })
    const tried: readonly (readonly [string, string | null])[] = [
      ['<r><id> abc </id></r>', 'abc'],
      ['OK ID: 77 queued', '77'],
      ['OK', 'from the header'],
      [`ID: ${'x'.repeat(300)}`, null],
    ]
    for (const [text, messageId] of tried) {
      peer.answer = (response) => response.writeHead(200, { 'x-id': 'from the header' }).end(text)
      assert.deepEqual(await send(account), { kind: 'accepted', messageId }, text)
    }
  })

  it('and receipts name the same message, however long its id and however each is written', async (test) => {
    const { peer, account } = await openWithPeer(test, {
      message_id_at: ['/id'],
      receipts: 'addresses',
      receipt_addresses: ['192.0.2.1'],
      receipt_id_at: ['/id'],
      receipt_state_at: ['/state'],
      receipt_states: { ok: 'delivered' },
    })
    for (const id of ['1234567890123456789', '1234567890123456790']) {
      peer.answer = (response) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(`\ufeff{"id":${id}}`)
      assert.deepEqual(await send(account), { kind: 'accepted', messageId: id })
      for (const [type, text] of [
        ['application/json', `{"id":${id},"state":"ok"}`],
        ['application/json', `\ufeff{"id":"${id}","state":"ok"}`],
        ['application/x-www-form-urlencoded', `id=${id}&state=ok`],
      ] as const) {
        const request = callback({ headers: { 'content-type': type }, body: Buffer.from(text) })
        const told = account.parseCallback?.(request)
        assert.deepEqual(
          told?.kind === 'accepted' && told.receipts.map(({ messageId }) => messageId),
          [id],
          text,
        )
      }
    }
  })

  it('are asked for uncompressed', async (test) => {
    const { peer, account } = await openWithPeer(test)
    await send(account)
    assert.equal(peer.requests[0]?.headers['accept-encoding'], 'identity')
  })

  it('that are pages for people are not taken for an acceptance where an id is expected', async (test) => {
    const { peer, account } = await openWithPeer(test, { message_id_at: ['/id'] })
    const page: typeof peer.answer = (response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html><h1>Please sign in</h1></html>')
    peer.answer = page
    assert.deepEqual(await send(account), {
      kind: 'uncertain',
      error: { code: 'http_200', message: 'The gateway answered 200 with a page for people.' },
    })
    peer.answer = (response) => response.writeHead(200, { 'content-type': 'text/plain' }).end('OK')
    assert.deepEqual(await send(account), { kind: 'accepted', messageId: null })
    const withoutIds = await openWithPeer(test, {})
    withoutIds.peer.answer = page
    assert.deepEqual(await send(withoutIds.account), { kind: 'accepted', messageId: null })
  })

  it('have no header and no parameter that nobody sent, whatever it is called', async (test) => {
    const places = ['header:constructor', 'header:toString', 'header:__proto__', '/constructor', '/id']
    const { peer, account } = await openWithPeer(test, { message_id_at: places })
    peer.answer = json(200, { id: 'm1' })
    assert.deepEqual(await send(account), { kind: 'accepted', messageId: 'm1' })
  })

  it('that do not come, or cannot be read, are never taken for a refusal', async (test) => {
    const { peer, account } = await openWithPeer(test, settings)
    for (const answer of [drop, garbage, huge]) {
      peer.answer = answer
      assert.equal((await send(account)).kind, 'uncertain')
    }
    const nobody = open(test, { base_url: `http://127.0.0.1:${closedPort}`, body })
    assert.equal((await send(nobody)).kind, 'retry')
  })
})
