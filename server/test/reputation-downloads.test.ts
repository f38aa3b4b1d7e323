/** Downloaded lists: stored, refreshed, and in force while their publisher cannot be reached. */
import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, afterEach, before, describe, it } from 'node:test'
import { loadReputation, watchReputation } from '../src/domain/guard/index.ts'
import { listCache } from '../src/domain/guard/reputation/list-cache.ts'
import { urlOrigin } from '../src/domain/guard/reputation/origin.ts'
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
    assert.equal(requests[0]?.headers.authorization, undefined)
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
      assert.equal((await stat(join(cacheFolder, name))).mode & 0o777, 0o600)
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

  it('are after a restart as old as their publisher’s last answer, and asked for with what was had', async () => {
    give(listed)
    const cacheFolder = await newCache()
    const sources = await sourcesOf({ url, class: 'abusive' })
    const startedMs = Date.now()
    const watchAt = async (afterMs: number) => {
      const clock = { ms: startedMs + afterMs }
      return { clock, ...(await watch(sources, { cacheFolder, nowMs: () => clock.ms })) }
    }
    const first = await watchAt(0)
    first.clock.ms += day
    await until(
      'the answer of 304',
      () => stateOf(first.reputation).ageSeconds === 0 && requests.length === 2,
    )
    const second = await watchAt(day + hour)
    assert.equal(stateOf(second.reputation).ageSeconds, hour / 1_000)
    assert.equal(requests.length, 2)
    second.clock.ms += day - hour
    await until('the next request', () => requests.length === 3)
    assert.equal(requests[2]?.headers['if-none-match'], `"${listed.length}"`)
  })

  it('are asked for twice within the age that their operator allows', async () => {
    give(listed)
    let shiftMs = 0
    const nowMs = () => Date.now() + shiftMs
    const sources = await sourcesOf({ url, class: 'abusive', max_age_s: hour / 1_000 })
    await watch(sources, { nowMs })
    shiftMs = hour / 2 + 1
    await until('the second request', () => requests.length === 2)
  })

  it('are asked for again a minute after a failure, then less and less often, at least once an hour', async () => {
    let atMs = 0
    const origin = urlOrigin(url, async (bytes) => String(bytes), {
      cache: listCache(null, url),
      everyMs: day,
      nowMs: () => atMs,
      signal: new AbortController().signal,
    })
    const asksAfter = async (ms: number) => {
      const before = requests.length
      atMs += ms
      await origin.look().catch(() => {})
      return requests.length - before
    }
    const minute = 60_000
    const away = (_: IncomingMessage, response: ServerResponse) => response.writeHead(503).end()
    answer = away
    assert.equal(await asksAfter(0), 1)
    for (const minutes of [1, 2, 4, 8, 16, 32, 60, 60]) {
      assert.equal(await asksAfter(minutes * minute - 1), 0, `${minutes} minutes`)
      assert.equal(await asksAfter(1), 1, `${minutes} minutes`)
    }
    give(listed)
    assert.equal(await asksAfter(hour), 1)
    answer = away
    assert.equal(await asksAfter(day), 1)
    assert.equal(await asksAfter(minute), 1, 'after a success it begins anew')
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
    assert.equal(changes.length, 1, 'it is not forgiven because it is not asked again')
    shiftMs = 8 * day
    assert.equal(reputation.classify(listed).treatment, 'flag')
    give(listed)
    shiftMs = 8 * day + 2 * hour
    await treats(reputation, listed, 'refuse')
    assert.equal(stateOf(reputation).problem, null)
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

  for (const [name, body] of [
    ['an error page', '<html>\n<p>maintenance\n'],
    ['an empty answer', ''],
  ] as const) {
    it(`are not replaced by ${name}, which the publisher cannot confirm either`, async () => {
      give(listed)
      let shiftMs = 0
      const cacheFolder = await newCache()
      const sources = await sourcesOf({ url, class: 'abusive' })
      const { reputation, changes } = await watch(sources, { cacheFolder, nowMs: () => Date.now() + shiftMs })
      give(body)
      shiftMs = 2 * day
      await until('the failure', () => changes.length === 1)
      assert.equal(reputation.classify(listed).treatment, 'refuse')
      assert.equal((await loadReputation(sources, { cacheFolder })).classify(listed).ipClass, 'abusive')
      shiftMs += hour
      await until('the next request', () => requests.length === 3)
      assert.equal(requests[2]?.headers['if-none-match'], `"${listed.length}"`)
    })
  }

  it('are kept with a stamp that is theirs, and what cannot be written is told', async () => {
    const folder = await newCache()
    const errors: unknown[] = []
    const cache = listCache(folder, url, (error) => errors.push(error))
    const stamp = (etag: string) => ({ etag, lastModified: null, checkedMs: 1 })
    await cache.write(Buffer.from(listed), stamp('old'))
    assert.deepEqual(await cache.read(), { bytes: Buffer.from(listed), ...stamp('old') })
    const name = (await readdir(folder)).find((each) => each.endsWith('.list')) ?? assert.fail('no bytes')
    const bytesFile = join(folder, name)
    await rm(bytesFile)
    await mkdir(bytesFile)
    await cache.write(Buffer.from(other), stamp('new'))
    assert.equal(errors.length, 1)
    await rm(bytesFile, { recursive: true })
    await writeFile(bytesFile, listed)
    assert.equal((await cache.read())?.etag, 'old', 'the old bytes never have the new stamp')
    const nowhere = listCache(await file('a file'), url, (error) => errors.push(error))
    await nowhere.confirm(stamp('old'))
    assert.equal(errors.length, 2)
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
