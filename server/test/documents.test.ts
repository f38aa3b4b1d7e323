/** How the site of `/docs` is served. Its content is tested where it is made. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { startNode } from './harness/node.ts'
import { startService } from './harness/service.ts'

const { database, node, close } = await startService()
after(close)
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${node.baseUrl}${path}`, { headers, redirect: 'manual' })

describe('the documents', () => {
  it('are HTML for everybody, with a policy that lets only files of this service run', async () => {
    for (const path of ['/docs', '/docs/', '/docs/guide', '/docs/guide/', '/docs/gateways/one']) {
      const answer = await get(path)
      assert.equal(answer.status, 200, path)
      assert.match(answer.headers.get('content-type') ?? '', /^text\/html; charset=utf-8/)
      const policy = answer.headers.get('content-security-policy') ?? ''
      for (const part of [
        /default-src 'none'/,
        /script-src 'self'/,
        /frame-ancestors 'none'/,
        /base-uri 'none'/,
      ])
        assert.match(policy, part)
      assert.doesNotMatch(policy, /unsafe|https?:|\*/)
      assert.match(await answer.text(), /^<!doctype html>/)
    }
  })

  it('are each of their kind, and what is of the repository is only text', async () => {
    const kinds = {
      '/docs/guide.md': 'text/markdown; charset=utf-8',
      '/llms.txt': 'text/plain; charset=utf-8',
      '/docs/picture.svg': 'image/svg+xml',
      '/docs/assets/main-0123456789.js': 'text/javascript; charset=utf-8',
      '/docs/repository/compose.yaml': 'text/plain; charset=utf-8',
      '/docs/repository/server.mjs': 'text/plain; charset=utf-8',
    }
    for (const [path, kind] of Object.entries(kinds)) {
      const answer = await get(path)
      assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, kind], path)
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
    }
  })

  it('are kept by browsers only under names that change with their content', async () => {
    const asset = await get('/docs/assets/main-0123456789.js')
    assert.match(asset.headers.get('cache-control') ?? '', /immutable/)
    for (const path of ['/docs', '/docs/guide', '/docs/guide.md', '/llms.txt'])
      assert.doesNotMatch((await get(path)).headers.get('cache-control') ?? '', /immutable|max-age=[1-9]/)
  })

  it('come compressed to whoever takes that, with the same content', async () => {
    const zipped = await get('/docs/guide', { 'accept-encoding': 'gzip' })
    assert.equal(zipped.headers.get('content-encoding'), 'gzip')
    const plain = await get('/docs/guide', { 'accept-encoding': 'identity' })
    assert.equal(plain.headers.get('content-encoding'), null)
    assert.equal(await zipped.text(), await plain.text())
    assert.equal(plain.headers.get('vary')?.toLowerCase(), 'accept-encoding')
  })

  it('are 404 in the one error body where there is no such page, and never a file from elsewhere', async () => {
    for (const path of [
      '/docs/nothing',
      '/docs/guide.html',
      '/docs/nothing.js',
      '/docs/..%2fnode.ts',
      '/docs/%2e%2e/node.ts',
    ]) {
      const { status, body } = await node.call('GET', path)
      assert.deepEqual([status, body.error?.type], [404, 'HTTPException'], path)
    }
  })

  it('are a page where a browser asks for one that is not there', async () => {
    const answer = await get('/docs/nothing', { accept: 'text/html,*/*;q=0.8' })
    assert.equal(answer.status, 404)
    assert.match(answer.headers.get('content-security-policy') ?? '', /default-src 'none'/)
    assert.match(await answer.text(), /There is no such page/)
  })

  it('lead to the description of the API, where it always was', async () => {
    const answer = await get('/docs/openapi.json')
    assert.deepEqual([answer.status, answer.headers.get('location')], [302, '/api/v1/openapi.json'])
  })

  it('cost the service as little as a health check when the description of the API is asked for', async () => {
    const asked = async (path: string) => {
      const startedMs = performance.now()
      await fetch(`${node.baseUrl}${path}`, { method: 'HEAD' })
      return performance.now() - startedMs
    }
    const [described, healthy] = [[], []] as [number[], number[]]
    for (let round = 0; round < 40; round++) {
      described.push(await asked('/api/v1/openapi.json'))
      healthy.push(await asked('/healthz'))
    }
    // The quickest of each, since a busy machine delays some. To write the document anew takes ten times as long.
    const [description, health] = [Math.min(...described), Math.min(...healthy)]
    assert.ok(description < 3 * health, `${description} ms beside ${health} ms`)
  })

  it('may be missing: the API goes on, and the root leads to its description', async () => {
    const bare = await startNode(database.url, { documentsFolder: null, role: 'api' })
    try {
      assert.equal((await bare.call('GET', '/docs')).status, 404)
      assert.equal((await bare.call('GET', '/')).headers.get('location'), '/api/v1/openapi.json')
    } finally {
      await bare.close()
    }
  })
})
