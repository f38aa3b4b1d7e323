/** The page that is made from the description of the API. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { errorCatalogue, type OperationName, operations } from '@countersign/contract'
import { providerKinds } from '../src/channels/index.ts'
import { startService } from './harness/service.ts'

const entries = Object.entries(operations) as [OperationName, (typeof operations)[OperationName]][]

const { node, close } = await startService({ kinds: new Map(Object.entries(providerKinds)) })
after(close)

describe('the OpenAPI document', { timeout: 120_000 }, () => {
  describe('as a page', () => {
    it('is HTML for everybody, without a script and with a policy that would stop one', async () => {
      const response = await fetch(`${node.baseUrl}/docs`)
      assert.equal(response.status, 200)
      assert.match(response.headers.get('content-type') ?? '', /^text\/html; charset=utf-8/)
      const policy = response.headers.get('content-security-policy') ?? ''
      assert.match(policy, /default-src 'none'/)
      assert.match(policy, /frame-ancestors 'none'/)
      assert.match(policy, /base-uri 'none'/)
      assert.doesNotMatch(policy, /script-src|unsafe-eval|https?:|\*/)
      const html = await response.text()
      assert.match(html, /^<!doctype html>/i)
      assert.doesNotMatch(html, /<script|javascript:|\son\w+=|<iframe|<object/i)
    })

    it('loads nothing from elsewhere', async () => {
      const html = await (await fetch(`${node.baseUrl}/docs`)).text()
      assert.doesNotMatch(html, /(src|href)="(https?:)?\/\//)
    })

    it('lists every operation with a place to link to, and every link leads somewhere', async () => {
      const html = await (await fetch(`${node.baseUrl}/docs`)).text()
      for (const [name, { path }] of entries) {
        assert.ok(html.includes(`id="${name}"`), name)
        assert.ok(html.includes(`href="#${name}"`), name)
        assert.ok(html.includes(path), path)
      }
      for (const [, target] of html.matchAll(/href="#([^"]+)"/g))
        assert.ok(html.includes(`id="${target}"`), target)
      const ids = [...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)
      assert.equal(new Set(ids).size, ids.length)
    })

    it('names every kind of refusal', async () => {
      const html = await (await fetch(`${node.baseUrl}/docs`)).text()
      const types = new Set(
        entries.flatMap(([, { errors }]) => errors.map((error) => errorCatalogue[error].type)),
      )
      for (const type of types) assert.ok(html.includes(type), type)
    })

    it('is well-formed where it quotes: no bare bracket or ampersand of ours', async () => {
      const html = await (await fetch(`${node.baseUrl}/docs`)).text()
      const text = html.replace(/<style>[\s\S]*?<\/style>/, '').replace(/<[^>]*>/g, '')
      assert.doesNotMatch(text, /[<>]/)
      assert.doesNotMatch(text, /&(?!#\d+;|\w+;)/)
    })
  })
})
