/** What holds for every request body. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { assertErrorBody, maxBodyBytes, sendPath, startTalk } from './conventions-support.ts'
import { freshPhone } from './harness/fixtures.ts'
import { adminToken } from './harness/node.ts'

const { node, tenant, close, post, postUntyped, postBytes, speak } = await startTalk()
after(close)

describe('conventions of the API', () => {
  describe('a body', () => {
    it('of 64 KiB is read; one byte more is a 413', async () => {
      const padded = (bytes: number) => {
        const frame = JSON.stringify({ recipient: '' })
        return JSON.stringify({ recipient: 'x'.repeat(bytes - frame.length) })
      }
      assertErrorBody(await post(padded(maxBodyBytes)), 422, 'ValidationError')
      assertErrorBody(await post(padded(maxBodyBytes + 1)), 413)
    })

    it('that is announced larger than 64 KiB is refused before it is sent', async () => {
      const heard = await speak(
        `POST ${sendPath} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${tenant.serverKey}\r\ncontent-type: application/json\r\ncontent-length: 70000\r\n\r\n`,
        (text) => text.includes('request_id'),
      )
      assert.match(heard, /^HTTP\/1\.1 413 /)
    })

    it('that comes in pieces and grows beyond 64 KiB is a 413', async () => {
      const piece = `${(16_384).toString(16)}\r\n${' '.repeat(16_384)}\r\n`
      const heard = await speak(
        `POST ${sendPath} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${tenant.serverKey}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n${piece.repeat(5)}`,
        (text) => text.includes('request_id'),
      )
      assert.match(heard, /^HTTP\/1\.1 413 /)
    })

    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml',
      'application/jsonp',
      'json',
      '*/*',
    ]) {
      it(`is JSON whatever its type says, and in management of another type a 415: ${type}`, async () => {
        const headers = { 'content-type': type }
        const taken = await post(JSON.stringify({ recipient: freshPhone() }), headers)
        assert.equal(taken.status, 200, JSON.stringify(taken.body))
        const none = await post('recipient=%2B447400123456', headers)
        assertErrorBody(none, 422, 'ValidationError')
        const managed = { key: adminToken, body: '{"name":"x"}', headers }
        assertErrorBody(await node.call('POST', '/manage/v1/companies', managed), 415)
      })
    }

    it('of a call that takes none is nothing or an empty object; anything else is refused, and nothing is done', async () => {
      const pause = (body?: string) =>
        node.call('POST', `/manage/v1/apps/${tenant.appId}/pause`, {
          key: adminToken,
          ...(body === undefined ? {} : { body }),
        })
      for (const body of ['{"reason":"x"}', '{bad', '[]', 'null', '"x"'])
        assertErrorBody(await pause(body), 422, 'ValidationError')
      const app = await node.call('GET', `/manage/v1/apps/${tenant.appId}`, { key: adminToken })
      assert.equal(app.body.paused_at, null)
      for (const body of [undefined, '', '{}']) assert.equal((await pause(body)).status, 200)
      const resumed = await node.call('POST', `/manage/v1/apps/${tenant.appId}/resume`, { key: adminToken })
      assert.equal(resumed.status, 200)
    })

    it('is JSON also without a type', async () => {
      const taken = await postUntyped(JSON.stringify({ recipient: freshPhone() }))
      assert.match(taken, /^HTTP\/1\.1 200 /)
      assert.match(await postUntyped('{'), /^HTTP\/1\.1 422 /)
    })

    for (const type of [
      'application/json',
      'application/json; charset=utf-8',
      'Application/JSON',
      'application/json;charset=UTF-8',
    ]) {
      it(`of the type ${type} is read`, async () => {
        const answer = await post(JSON.stringify({ recipient: freshPhone() }), { 'content-type': type })
        assert.equal(answer.status, 200, JSON.stringify(answer.body))
      })
    }

    const broken: Readonly<Record<string, string>> = {
      nothing: '',
      'a space': ' ',
      'half an object': '{"recipient":',
      'a comma too many': '{"recipient":"x",}',
      'single quotes': "{'recipient':'x'}",
      'two objects': '{}{}',
      'a list': '[]',
      'a list of a good body': '[{"recipient":"+447400123456"}]',
      'a number': '5',
      'a text': '"+447400123456"',
      null: 'null',
      true: 'true',
      NaN: 'NaN',
      'a form': 'recipient=%2B447400123456',
      'a NUL': '\0',
    }
    for (const [name, text] of Object.entries(broken)) {
      it(`that is ${name} is a 422`, async () => {
        const answer = await postBytes(Buffer.from(text))
        assertErrorBody(answer, 422, 'ValidationError')
        assert.equal(answer.body.error.details.fields.length, 1)
        assert.equal(answer.body.error.details.fields[0].path, '')
      })
    }

    it('that is missing altogether is a 422', async () => {
      assertErrorBody(await node.call('POST', sendPath, { key: tenant.serverKey }), 422, 'ValidationError')
    })

    it('with unknown fields names each of them', async () => {
      const answer = await post({ recipient: freshPhone(), channel: 'sms', Recipient: 'x' })
      assertErrorBody(answer, 422, 'ValidationError')
      const paths = answer.body.error.details.fields.map(({ path }: { path: string }) => path)
      assert.deepEqual(paths.sort(), ['Recipient', 'channel'])
      assert.match(answer.body.error.message, /channel.*1 more/)
    })

    it('with a field written twice is a 422, and nothing is done; a colon in a text is none', async () => {
      const recipient = freshPhone()
      const twice = (path: string) => ({ fields: [{ path, message: 'is written twice' }] })
      for (const [body, path] of [
        [`{"recipient":"${freshPhone()}","recipient":"${recipient}"}`, 'recipient'],
        [`{"recipient":"${recipient}","recipient":"${recipient}"}`, 'recipient'],
        [`{"recipient":"${recipient}","locale":null,"\\u006cocale":"en"}`, 'locale'],
      ] as const) {
        const answer = await post(body)
        assertErrorBody(answer, 422, 'ValidationError')
        assert.deepEqual(answer.body.error.details, twice(path))
      }
      const nested = '{"name":"a\\\\\\":{","geo":{"countries":[],"mode":"allow","mode":"block"}}'
      const create = (body: string) =>
        node.call('POST', `/manage/v1/companies/${tenant.companyId}/apps`, {
          key: adminToken,
          body,
          headers: { 'content-type': 'application/json' },
        })
      assert.deepEqual((await create(nested)).body.error.details, twice('geo.mode'))
      const made = await create('{"name":"a\\\\\\":\\": b:c\\\\"}')
      assert.deepEqual([made.status, made.body.name], [201, 'a\\":": b:c\\'])
      assert.equal((await post({ recipient })).status, 200)
    })

    it('with __proto__, constructor or prototype in it changes nothing but its own answer', async () => {
      for (const key of ['__proto__', 'constructor', 'prototype']) {
        const answer = await post(
          `{"recipient":"${freshPhone()}","${key}":{"client_ip":"8.8.8.8","isAdmin":true}}`,
        )
        assertErrorBody(answer, 422, 'ValidationError')
        assert.equal(answer.body.error.details.fields[0].path, key)
      }
      assertErrorBody(await post(`{"__proto__":{"recipient":"${freshPhone()}"}}`), 422, 'ValidationError')
      assert.equal((Object.prototype as Record<string, unknown>).isAdmin, undefined)
    })

    it('with half a character in a text or a name is a 422, since nothing can store it', async () => {
      for (const body of [
        '{"messages":{"sms":{"en":{"text":"{code} \\ud800"}}}}',
        '{"messages":{"sms":{"\\udc00":{"text":"{code}"}}}}',
        '{"name":"\\ud83d"}',
      ]) {
        const answer = await node.manage('PATCH', `/apps/${tenant.appId}`, body)
        assertErrorBody(answer, 422, 'ValidationError')
      }
      for (const recipient of ['\\ud800@example.com', 'a@\\udc00.com', '+44740012345\\ud83d'])
        assertErrorBody(await post(`{"recipient":"${recipient}"}`), 422, 'InvalidRecipientError')
    })

    it('with __proto__ anywhere in an app’s settings is a 422, and changes nothing', async () => {
      const before = (await node.manage('GET', `/apps/${tenant.appId}`)).body
      for (const body of [
        '{"__proto__":{"code_length":4}}',
        '{"geo":{"__proto__":{"mode":"allow"}}}',
        '{"routing":{"countries":{"__proto__":["sms"]}}}',
        '{"messages":{"\\u005f_proto__":{}}}',
        '{"limits":{"recipient":[{"__proto__":null}]}}',
      ]) {
        const answer = await node.manage('PATCH', `/apps/${tenant.appId}`, body)
        assertErrorBody(answer, 422, 'ValidationError')
        assert.equal(answer.body.error.details.fields[0].path, '__proto__', body)
      }
      assert.deepEqual((await node.manage('GET', `/apps/${tenant.appId}`)).body, before)
    })

    it('nested thousands deep is answered, and quickly', async () => {
      const begun = performance.now()
      const lists = `{"recipient":${'['.repeat(30_000)}${']'.repeat(30_000)}}`
      assertErrorBody(await post(lists), 422, 'ValidationError')
      const objects = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`
      assertErrorBody(await post(objects), 422, 'ValidationError')
      assert.ok(performance.now() - begun < 20_000)
    })

    it('of settings nested thousands deep is a 422', async () => {
      const deep = `${'{"geo":'.repeat(7_000)}1${'}'.repeat(7_000)}`
      const answer = await node.manage('PATCH', `/apps/${tenant.appId}`, deep)
      assertErrorBody(answer, 422, 'ValidationError')
    })

    it('that is not UTF-8 is refused, never an error of ours', async () => {
      for (const bytes of [
        [0xff, 0xfe],
        [0xc0, 0x80],
        [0xed, 0xa0, 0x80],
        [0xf5, 0x80, 0x80, 0x80],
      ]) {
        const answer = await postBytes(
          Buffer.concat([Buffer.from('{"recipient":"a'), Buffer.from(bytes), Buffer.from('@example.com"}')]),
        )
        assertErrorBody(answer, 422, 'ValidationError')
        assert.equal(answer.body.error.message, 'The body is not UTF-8.')
      }
      const utf16 = await postBytes(Buffer.from(JSON.stringify({ recipient: freshPhone() }), 'utf16le'))
      assert.equal(utf16.status, 422)
    })

    it('may name what it leaves out as null', async () => {
      const sent = await post({ recipient: freshPhone(), locale: null, client_ip: null })
      assert.equal(sent.status, 200, JSON.stringify(sent.body))
      const moved = await node.call('POST', '/api/v1/otp/resend', {
        key: tenant.serverKey,
        body: { otp_id: sent.body.otp_id, channel: null },
      })
      assert.equal(moved.status, 200, JSON.stringify(moved.body))
      const seen = await node.call('POST', '/api/v1/routing/preview', {
        key: tenant.serverKey,
        body: { recipient: freshPhone(), client_ip: null },
      })
      assert.equal(seen.body.channel, 'sms')
      const device = { key: tenant.publishableKey, body: { recipient: freshPhone(), client_ip: null } }
      assert.equal((await node.call('POST', sendPath, device)).status, 200)
      assertErrorBody(await post({ recipient: null }), 422, 'ValidationError')
    })

    it('may write its locale as systems do', async () => {
      for (const locale of ['en_US', 'en-US@posix', 'pt_BR.UTF-8', 'de'])
        assert.equal((await post({ recipient: freshPhone(), locale })).status, 200, locale)
      for (const locale of ['', '_', '@posix', 'english language'])
        assertErrorBody(await post({ recipient: freshPhone(), locale }), 422, 'ValidationError')
    })

    it('has a recipient of at most 320 characters, of which a bad one is no recipient', async () => {
      const refused = async (length: number) =>
        (await post({ recipient: 'x'.repeat(length) })).body.error.type
      assert.equal(await refused(320), 'InvalidRecipientError')
      assert.equal(await refused(321), 'ValidationError')
    })

    it('may name its fields in any order', async () => {
      const recipient = freshPhone()
      const answer = await post(`{"locale":"en","recipient":"${recipient}","client_ip":null}`)
      assert.equal(answer.status, 200)
    })
  })
})
