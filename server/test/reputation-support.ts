/** IP lists in the test's own folder, and watchers of them. */
import assert from 'node:assert/strict'
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before } from 'node:test'
import { type Reputation, watchReputation } from '../src/domain/guard/index.ts'
import { parseWords } from '../src/domain/guard/reputation/words.ts'
import { until } from './harness/fixtures.ts'

export const listed = '45.155.205.9'
export const other = '45.155.206.9'
export const hour = 3_600_000
export const day = 24 * hour
const pollMs = 20

export const wordsOf = (text: string) => parseWords(text) ?? assert.fail(`${text} is an address`)
export const stateOf = (reputation: Reputation) => reputation.sources()[0] ?? assert.fail('there is a source')
export const treats = (reputation: Reputation, address: string, treatment: string) =>
  until(`${address} to be treated: ${treatment}`, () => reputation.classify(address).treatment === treatment)
export const setAge = (path: string, ageMs: number) => {
  const date = new Date(Date.now() - ageMs)
  return utimes(path, date, date)
}

/** For the suite in which this is called; each test starts without a watcher. */
export function keepLists() {
  let folder = ''
  let count = 0
  const open: { close: () => Promise<void> }[] = []

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countersign-reputation-'))
  })
  afterEach(async () => {
    for (const each of open.splice(0)) await each.close()
  })
  after(() => rm(folder, { recursive: true, force: true }))

  const pathTo = (name: string) => join(folder, name)
  const file = async (content: string | Buffer, extension = 'txt') => {
    const path = pathTo(`list-${++count}.${extension}`)
    await writeFile(path, content)
    return path
  }
  const sourcesOf = (...sources: unknown[]) => file(JSON.stringify(sources), 'json')

  async function watch(sourcesFile: string, options: { cacheFolder?: string; nowMs?: () => number } = {}) {
    const changes: string[] = []
    const { nowMs = Date.now, ...others } = options
    let asked = 0
    const reputation = await watchReputation(sourcesFile, {
      cacheFolder: null,
      pollMs,
      onChange: ({ name, problem }) => changes.push(`${name}: ${problem}`),
      nowMs: () => {
        asked++
        return nowMs()
      },
      ...others,
    })
    open.push(reputation)
    /** Each look reads the clock a few times at most, so after twenty reads a repeated change would have shown. */
    const someLooks = async () => {
      const before = asked
      await until('some looks at the lists', () => asked > before + 20)
    }
    return { reputation, changes, someLooks }
  }
  const newCache = () => mkdtemp(pathTo('cache-'))
  return { file, sourcesOf, watch, pathTo, newCache, closeAfterTest: open }
}
