import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createSessionCookie } from './session-cookie.ts'

function written(publicUrl: string, cookies: { token: string; knownToken: string } | null): string[] {
  const lines: string[] = []
  const reply = { header: (_name: string, value: string) => lines.push(value) }
  createSessionCookie(publicUrl).set(reply as unknown as FastifyReply, cookies)
  return lines
}

describe('the cookies of a service behind https', () => {
  const publicUrl = 'https://codes.example.com'

  it('go over https alone, and to no other host', () => {
    const rest = 'HttpOnly; SameSite=Strict; Secure'
    assert.deepEqual(written(publicUrl, { token: 'one', knownToken: 'two' }), [
      `__Host-countersign_session=one; Path=/; Max-Age=2592000; ${rest}`,
      `__Host-countersign_known=two; Path=/; Max-Age=15552000; ${rest}`,
    ])
    assert.deepEqual(written(publicUrl, null), [`__Host-countersign_session=; Path=/; Max-Age=0; ${rest}`])
  })

  it('are read under that name alone, which no other host can set', () => {
    const { read, readKnown } = createSessionCookie(publicUrl)
    const request = (cookie: string) => ({ headers: { cookie } }) as FastifyRequest
    const both = request('__Host-countersign_known=two; __Host-countersign_session=one')
    assert.deepEqual([read(both), readKnown(both)], ['one', 'two'])
    const planted = request('countersign_session=one; countersign_known=two')
    assert.deepEqual([read(planted), readKnown(planted)], [null, null])
    // Browsers do not know these names as those of such cookies, so a page without https can set them.
    for (const before of ['\xa0', '\ufeff', '\u2000', '\x0b', '\x85'])
      assert.equal(read(request(`${before}__Host-countersign_session=one`)), null, before)
  })
})

const isTaken = (publicUrl: string, origin: string, host: string) => {
  try {
    createSessionCookie(publicUrl).assertOwnPage({ headers: { origin, host } } as FastifyRequest, true)
    return true
  } catch {
    return false
  }
}

describe('a change with a cookie', () => {
  it('comes from the public address or from the host that is called, and not from one that is only alike', () => {
    for (const [publicUrl, scheme] of [
      ['https://codes.example.com', 'https'],
      ['http://codes.example.com', 'http'],
    ] as const) {
      assert.ok(isTaken(publicUrl, publicUrl, '10.0.0.7:3000'))
      assert.ok(isTaken(publicUrl, `${scheme}://10.0.0.7:3000`, '10.0.0.7:3000'))
      for (const origin of [
        `${publicUrl}.evil.example`,
        `${scheme}://evil-codes.example.com`,
        `${publicUrl}:8443`,
        `${scheme}://10.0.0.7`,
        `${scheme}://110.0.0.7:3000`,
        'null',
      ])
        assert.ok(!isTaken(publicUrl, origin, '10.0.0.7:3000'), origin)
    }
  })

  it('comes from no page without https where the public address has it: anybody on the way may have written it', () => {
    const host = 'codes.example.com'
    assert.ok(!isTaken(`https://${host}`, `http://${host}`, host))
    assert.ok(!isTaken(`https://${host}`, 'http://10.0.0.7:3000', '10.0.0.7:3000'))
    for (const own of ['localhost:3000', '127.0.0.1:3000', '[::1]:3000']) {
      assert.ok(isTaken(`https://${host}`, `http://${own}`, own), 'nobody is on the way')
      assert.ok(!isTaken(`https://${host}`, `http://${own}`, host), own)
    }
    assert.ok(!isTaken(`https://${host}`, 'http://localhost.example', 'localhost.example'))
    assert.ok(
      isTaken(`http://${host}`, `https://${host}`, host),
      'a proxy with https, of which nobody was told',
    )
  })
})
