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
  })
})

describe('a change with a cookie', () => {
  const { assertOwnPage } = createSessionCookie('https://codes.example.com')
  const isTaken = (origin: string, host: string) => {
    try {
      assertOwnPage({ headers: { origin, host } } as FastifyRequest, true)
      return true
    } catch {
      return false
    }
  }

  it('comes from the public address or from the host that is called, and not from one that is only alike', () => {
    assert.ok(isTaken('https://codes.example.com', '10.0.0.7:3000'))
    assert.ok(isTaken('http://10.0.0.7:3000', '10.0.0.7:3000'))
    for (const origin of [
      'https://codes.example.com.evil.example',
      'https://evil-codes.example.com',
      'https://codes.example.com:8443',
      'http://10.0.0.7',
      'http://110.0.0.7:3000',
      'null',
    ])
      assert.ok(!isTaken(origin, '10.0.0.7:3000'), origin)
  })
})
