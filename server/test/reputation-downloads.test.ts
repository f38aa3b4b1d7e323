/** Downloaded lists: stored, refreshed, and in force while their publisher cannot be reached. */
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, afterEach, before, describe, it } from 'node:test'
import { loadReputation, watchReputation } from '../src/domain/guard/index.ts'
import { until } from './harness/fixtures.ts'
import { day, hour, keepLists, listed, other, stateOf, treats } from './reputation-support.ts'

describe('lists of addresses at an address', () => {
  const { file, sourcesOf, watch, newCache, closeAfterTest } = keepLists()
  let server: Server
  let url = ''
  let answer: (request: IncomingMessage, response: ServerResponse) => void = () => {}
  const requests: IncomingMessage[] = []

  before(async () => {
    server = createServer((request, response) => {
      requests.push(request)
      answer(request, response)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/lists/drop.txt?token=secret`
  })
  afterEach(() => {
    requests.length = 0
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  const give = (body: string) => {
    answer = (request, response) => {
      if (request.headers['if-none-match'] === `"${body.length}"`) response.writeHead(304).end()
      else
        response
          .writeHead(200, { etag: `"${body.length}"`, 'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT' })
          .end(body)
    }
  }

  it('are downloaded, kept, and had again after a restart without the publisher', async () => {
    give(`${listed}\n`)
    const cacheFolder = await newCache()
    const sources = await sourcesOf({ url, class: 'abusive' })
    const first = await watch(sources, { cacheFolder })
    assert.equal(first.reputation.classify(listed).treatment, 'refuse')
    assert.equal(requests.length, 1)
    answer = (_, response) => response.writeHead(500).end()
    const second = await watch(sources, { cacheFolder })
    assert.equal(second.reputation.classify(listed).treatment, 'refuse')
    assert.equal(requests.length, 1, 'it is not asked for again on the same day')
    assert.equal((await loadReputation(sources, { cacheFolder })).classify(listed).treatment, 'refuse')
    const kept = await readdir(cacheFolder)
    assert.equal(kept.length, 2)
    for (const name of kept) {
      const text = `${name} ${await readFile(join(cacheFolder, name), 'utf8')}`
      assert.ok(!text.includes('secret'), 'no address with its token is written down')
    }
  })

  it('are named without what may be secret in their address', async () => {
    give(listed)
    const { reputation } = await watch(
      await sourcesOf({ url: url.replace('http://', 'http://me:pass@'), class: 'tor' }),
    )
    assert.match(stateOf(reputation).name, /^127\.0\.0\.1:\d+\/lists\/drop\.txt$/)
    assert.equal(requests[0]?.headers.authorization, `Basic ${Buffer.from('me:pass').toString('base64')}`)
  })

  it('are asked for once a day, with what was had, and are younger by an answer of 304', async () => {
    give(listed)
    let shiftMs = 0
    const nowMs = () => Date.now() + shiftMs
    const { reputation, someLooks } = await watch(await sourcesOf({ url, class: 'abusive' }), {
      cacheFolder: await newCache(),
      nowMs,
    })
    shiftMs = day - hour
    await someLooks()
    assert.equal(requests.length, 1)
    shiftMs = day + hour
    await until('the second request', () => requests.length === 2)
    await until('the list to be young', () => (stateOf(reputation).ageSeconds ?? 1e9) < 60)
    assert.equal(requests[1]?.headers['if-none-match'], `"${listed.length}"`)
    assert.equal(requests[1]?.headers['if-modified-since'], 'Thu, 01 Jan 2026 00:00:00 GMT')
    assert.equal(reputation.classify(listed).treatment, 'refuse')
    give(`${other}\n\n`)
    shiftMs = 2 * day + 2 * hour
    await treats(reputation, other, 'refuse')
    assert.equal(reputation.classify(listed).ipClass, null)
  })

  it('refuse on while their publisher is away, until they are too old', async () => {
    give(listed)
    let shiftMs = 0
    const nowMs = () => Date.now() + shiftMs
    const { reputation, changes, someLooks } = await watch(await sourcesOf({ url, class: 'abusive' }), {
      nowMs,
    })
    answer = (_, response) => response.writeHead(503).end('sorry')
    shiftMs = 2 * day
    await until('the failure', () => changes.length === 1)
    assert.match(changes[0] ?? '', /its publisher answered 503/)
    assert.equal(reputation.classify(listed).treatment, 'refuse')
    const asked = requests.length
    await someLooks()
    assert.equal(requests.length, asked, 'it is not asked again at once')
    shiftMs = 8 * day
    assert.equal(reputation.classify(listed).treatment, 'flag')
    give(listed)
    shiftMs = 8 * day + 2 * hour
    await treats(reputation, listed, 'refuse')
  })

  it('are in force although they cannot be kept', async () => {
    give(listed)
    const noFolder = await file('a file')
    const unkept: unknown[] = []
    const reputation = await watchReputation(await sourcesOf({ url, class: 'abusive' }), {
      cacheFolder: noFolder,
      onChange: () => {},
      onUnkept: (error) => unkept.push(error),
    })
    closeAfterTest.push(reputation)
    assert.equal(reputation.classify(listed).treatment, 'refuse')
    assert.equal(unkept.length, 1)
  })

  it('are not replaced by what is no list', async () => {
    give(listed)
    let shiftMs = 0
    const cacheFolder = await newCache()
    const sources = await sourcesOf({ url, class: 'abusive' })
    const { reputation, changes } = await watch(sources, { cacheFolder, nowMs: () => Date.now() + shiftMs })
    give('<html>\n<p>maintenance\n')
    shiftMs = 2 * day
    await until('the failure', () => changes.length === 1)
    assert.equal(reputation.classify(listed).treatment, 'refuse')
    assert.equal((await loadReputation(sources, { cacheFolder })).classify(listed).ipClass, 'abusive')
  })

  it('that cannot be had do not keep the service from starting, nor for long', async () => {
    answer = () => {}
    const startedMs = Date.now()
    const { reputation } = await watch(
      await sourcesOf({ url, class: 'abusive' }, { path: await file(other), class: 'tor' }),
    )
    assert.ok(Date.now() - startedMs < 20_000)
    assert.equal(reputation.classify(listed).ipClass, null)
    assert.equal(reputation.classify(other).ipClass, 'tor')
  })

  it('are not downloaded by whoever only looks', async () => {
    give(listed)
    const reputation = await loadReputation(await sourcesOf({ url, class: 'tor' }), {
      cacheFolder: await newCache(),
    })
    assert.equal(stateOf(reputation).problem, 'has not been downloaded')
    assert.equal(requests.length, 0)
  })
})
