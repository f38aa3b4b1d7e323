import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import Fastify from 'fastify'
import { loadDashboard, registerDashboard } from './dashboard.ts'

describe('the dashboard', () => {
  const server = Fastify({ exposeHeadRoutes: false })
  before(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-dashboard-'))
    await mkdir(join(folder, 'assets'))
    await writeFile(join(folder, 'index.html'), '<!doctype html><meta nonce="__CSP_NONCE__">')
    await writeFile(join(folder, 'assets/main-1.js'), 'run()')
    const dashboard = await loadDashboard(folder)
    await rm(folder, { recursive: true })
    registerDashboard(server, dashboard ?? assert.fail('there is none'))
  })
  after(() => server.close())
  const get = (url: string) => server.inject({ method: 'GET', url })

  it('is one page under every path, which no other page may frame or learn about', async () => {
    for (const path of ['/dashboard', '/dashboard/apps/app_1', '/dashboard/sign-in']) {
      const { statusCode, headers, body } = await get(path)
      assert.equal(statusCode, 200)
      const policy = String(headers['content-security-policy'])
      for (const part of ["default-src 'none'", "script-src 'self';", "frame-ancestors 'none'"])
        assert.ok(policy.includes(part), part)
      assert.equal(headers['referrer-policy'], 'no-referrer')
      const [, nonce = ''] = /nonce="([^"]+)"/.exec(body) ?? []
      assert.ok(nonce.length >= 22 && policy.includes(`'nonce-${nonce}'`))
      assert.ok(!(await get(path)).body.includes(nonce), 'a new one for each answer')
    }
  })

  it('has its files under names that change with their content, and no page in place of a missing one', async () => {
    const file = await get('/dashboard/assets/main-1.js')
    assert.deepEqual([file.statusCode, file.body], [200, 'run()'])
    assert.match(String(file.headers['cache-control']), /immutable/)
    for (const missing of ['assets/main-0.js', 'assets/main-0.css', 'index.html'])
      assert.equal((await get(`/dashboard/${missing}`)).statusCode, 404, missing)
  })
})
