/** Lists in files: read at the start, read again when they change, too old, broken. */
import assert from 'node:assert/strict'
import { rename, rm, utimes, writeFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { listingOf, loadReputation } from '../src/domain/guard/index.ts'
import { until } from './harness/fixtures.ts'
import { writeMmdb } from './harness/write-mmdb.ts'
import { day, hour, keepLists, listed, other, setAge, stateOf, treats } from './reputation-support.ts'

describe('lists of addresses', () => {
  const { file, sourcesOf, watch, pathTo } = keepLists()

  describe('at the start', () => {
    it('are none where none are named', async () => {
      const reputation = await loadReputation(null)
      assert.deepEqual(reputation.classify(listed), { ipClass: null, treatment: 'none' })
      assert.deepEqual(reputation.sources(), [])
    })

    for (const [ipClass, treatment] of [
      ['abusive', 'refuse'],
      ['tor', 'flag'],
      ['proxy', 'flag'],
      ['vpn', 'flag'],
      ['hosting', 'flag'],
      ['relay', 'none'],
    ] as const) {
      it(`have ${ipClass} addresses treated so: ${treatment}`, async () => {
        const reputation = await loadReputation(await sourcesOf({ path: await file(listed), class: ipClass }))
        assert.deepEqual(reputation.classify(listed), { ipClass, treatment })
        assert.equal(reputation.classify(other).ipClass, null)
      })
    }

    it('give an address that is on several the worst of their classes, whatever their order', async () => {
      const classes = ['relay', 'hosting', 'vpn', 'proxy', 'tor', 'abusive']
      const path = await file(`${listed}\n2a0b:f4c2::/32`)
      for (let length = 1; length <= classes.length; length++) {
        const sources = classes.slice(0, length).map((each) => ({ path, class: each }))
        for (const order of [sources, [...sources].reverse()]) {
          const reputation = await loadReputation(await sourcesOf(...order))
          assert.equal(new Set(reputation.sources().map(({ name }) => name)).size, length)
          assert.equal(reputation.classify(listed).ipClass, classes[length - 1])
          assert.equal(reputation.classify('2a0b:f4c2::9').ipClass, classes[length - 1])
        }
      }
    })

    it('are told apart by extension, by content, or by what the operator says', async () => {
      const mmdb = writeMmdb({ [`${listed}/32`]: { is_tor_exit_node: true } })
      for (const source of [
        { path: await file(mmdb, 'mmdb') },
        { path: await file(mmdb, 'mmdb'), class: 'vpn' },
        { path: await file(mmdb, 'dat'), class: 'vpn' },
        { path: await file(mmdb, 'dat'), format: 'mmdb' },
        { path: await file(listed, 'mmdb'), format: 'text', class: 'tor' },
        { path: await file(`{"cidr": "${listed}/32"}`, 'json'), class: 'tor' },
        { path: await file(`{"cidr": "${listed}/32"}`), class: 'tor', format: 'jsonl' },
      ]) {
        const reputation = await loadReputation(await sourcesOf(source))
        assert.equal(reputation.classify(listed).ipClass, 'tor', JSON.stringify(source))
        assert.equal(stateOf(reputation).problem, null)
      }
    })

    it('need not be readable: what cannot be read says nothing, and is reported', async () => {
      const sources = await sourcesOf(
        { path: pathTo('no-such-file'), class: 'abusive' },
        { path: await file('<html>\n<body>\nsorry'), class: 'abusive' },
        { path: await file(`${listed}`), format: 'mmdb' },
        { path: pathTo('.'), class: 'vpn' },
        { path: await file(listed), class: 'vpn' },
      )
      const { reputation, changes } = await watch(sources)
      assert.equal(reputation.classify(listed).ipClass, 'vpn')
      const problems = reputation.sources().map(({ problem }) => problem)
      assert.deepEqual(problems, [
        'ENOENT',
        'most of its lines name no network',
        'is not in the format mmdb',
        'EISDIR',
        null,
      ])
      assert.equal(changes.length, 4)
    })

    for (const [name, content, message] of [
      ['no JSON', '[{', /is not JSON/],
      ['no list', '{"path": "x", "class": "tor"}', /is not a list of sources/],
      ['an unknown class', '[{"path": "x", "class": "bad"}]', /entry 1: class: /],
      [
        'an unknown class after a byte order mark',
        '\ufeff[{"path": "x", "class": "bad"}]',
        /entry 1: class: /,
      ],
      ['an entry without a place', '[{"class": "tor"}]', /entry 1: .*path or url/],
      [
        'an entry with two places',
        '[{"path": "x", "url": "https://x.example/", "class": "tor"}]',
        /entry 1: .*path or url/,
      ],
      ['an entry without a class', '[{"path": "a", "class": "tor"}, {"path": "x.txt"}]', /entry 2: .*class/],
      ['a strange address', '[{"url": "ftp://x.example/", "class": "tor"}]', /entry 1: url: .*http/],
      ['a strange age', '[{"path": "x", "class": "tor", "max_age_s": -1}]', /entry 1: max_age_s/],
      ['a field that there is not', '[{"path": "x", "class": "tor", "classs": 1}]', /classs/],
    ] as const) {
      it(`are a clear error when the file that names them is broken: ${name}`, async () => {
        const path = await file(content, 'json')
        await assert.rejects(loadReputation(path), message)
        await assert.rejects(watch(path), (error: Error) => error.message.startsWith(`IP_SOURCES: ${path}`))
      })
    }

    it('are a clear error when the file that names them is missing', async () => {
      await assert.rejects(
        loadReputation(pathTo('missing.json')),
        /IP_SOURCES: .*missing\.json cannot be read/,
      )
    })
  })

  describe('in a file', () => {
    it('are read again when it is written anew or replaced, each time whole', async () => {
      const path = await file(listed)
      // The new file has the same length, so only its time differs, and file times have a limited resolution.
      await setAge(path, hour)
      const { reputation } = await watch(await sourcesOf({ path, class: 'abusive' }))
      await writeFile(path, other)
      await treats(reputation, other, 'refuse')
      assert.equal(reputation.classify(listed).ipClass, null)
      await rename(await file(`${listed}\n${other}`), path)
      await treats(reputation, listed, 'refuse')
      assert.equal(reputation.classify(other).treatment, 'refuse')
      await writeFile(path, '')
      await treats(reputation, listed, 'none')
    })

    it('are read again when a file of the same size and time takes its place, as a copy that keeps times does', async () => {
      const [path, copy] = [await file(listed), await file(other)]
      const at = new Date(Date.now() - hour)
      for (const each of [path, copy]) await utimes(each, at, at)
      const { reputation } = await watch(await sourcesOf({ path, class: 'abusive' }))
      assert.equal(reputation.classify(listed).treatment, 'refuse')
      await rename(copy, path)
      await treats(reputation, other, 'refuse')
    })

    it('only throttle once it cannot be read, by what was in it, and refuse again when it can', async () => {
      const path = await file(listed)
      const { reputation, changes, someLooks } = await watch(await sourcesOf({ path, class: 'abusive' }))
      assert.equal(reputation.classify(listed).treatment, 'refuse')
      await rename(path, `${path}.away`)
      await treats(reputation, listed, 'flag')
      const standing = reputation.classify(listed)
      assert.deepEqual(listingOf(standing), { because: 'listed', class: 'abusive', is_stale: true })
      // Replaced atomically, because an empty file is a valid list.
      await rename(await file('<p>\n<p>\n<p>'), path)
      await until('the next change', () => changes.length === 2)
      await someLooks()
      assert.equal(changes.length, 2, 'a broken list is not forgiven because it stays the same')
      assert.equal(reputation.classify(listed).treatment, 'flag')
      await rename(`${path}.away`, path)
      await treats(reputation, listed, 'refuse')
      await until('the last change', () => changes.length === 3)
      assert.deepEqual(
        changes.map((change) => change.split(': ')[1]),
        ['ENOENT', 'most of its lines name no network', 'null'],
      )
    })

    it('that is damaged in between stays in force as it was, for those who are only throttled', async () => {
      const path = await file(writeMmdb({ [`${listed}/32`]: { is_anonymous_vpn: true } }), 'mmdb')
      const { reputation } = await watch(await sourcesOf({ path }))
      assert.equal(reputation.classify(listed).treatment, 'flag')
      await writeFile(path, 'nonsense')
      await until('the damage', () => stateOf(reputation).problem === 'is not in the format mmdb')
      assert.equal(reputation.classify(listed).ipClass, 'vpn')
    })

    it('tell of each change once', async () => {
      const path = await file(listed)
      const { changes, someLooks } = await watch(await sourcesOf({ path, class: 'abusive' }))
      await rm(path)
      await until('the change', () => changes.length > 0)
      await someLooks()
      assert.equal(changes.length, 1)
    })
  })

  describe('that are old', () => {
    for (const [ipClass, maxAge] of [
      ['abusive', 7 * day],
      ['tor', 48 * hour],
      ['proxy', 60 * day],
      ['vpn', 60 * day],
      ['hosting', 60 * day],
      ['relay', 60 * day],
    ] as const) {
      it(`are too old as ${ipClass} after ${maxAge / hour} hours`, async () => {
        const path = await file(listed)
        const sources = await sourcesOf({ path, class: ipClass })
        await setAge(path, maxAge - hour)
        assert.equal(stateOf(await loadReputation(sources)).problem, null)
        await setAge(path, maxAge + hour)
        const { problem, ageSeconds } = stateOf(await loadReputation(sources))
        assert.equal(problem, 'is too old')
        assert.equal(Math.round((ageSeconds ?? 0) / 60), (maxAge + hour) / 60_000)
      })
    }

    it('are too old when their operator says so', async () => {
      const path = await file(listed)
      await setAge(path, 10 * day)
      const treatment = async (max_age_s: number) =>
        (await loadReputation(await sourcesOf({ path, class: 'abusive', max_age_s }))).classify(listed)
          .treatment
      assert.equal(await treatment(11 * 86_400), 'refuse')
      assert.equal(await treatment(9 * 86_400), 'flag')
    })

    it('only throttle, from the minute in which they get too old, and say so once', async () => {
      let shiftMs = 0
      const path = await file(listed)
      const { reputation, changes, someLooks } = await watch(await sourcesOf({ path, class: 'abusive' }), {
        nowMs: () => Date.now() + shiftMs,
      })
      shiftMs = 7 * day - hour
      assert.equal(reputation.classify(listed).treatment, 'refuse')
      shiftMs = 7 * day + hour
      assert.equal(reputation.classify(listed).treatment, 'flag')
      await until('the change', () => changes.length === 1)
      shiftMs = 8 * day
      await someLooks()
      assert.equal(changes.length, 1)
    })

    it('do not keep a younger one from refusing', async () => {
      const [old, young] = [await file(listed), await file(listed)]
      await setAge(old, 30 * day)
      const sources = [
        { path: old, class: 'abusive' },
        { path: young, class: 'abusive' },
      ]
      for (const order of [sources, [...sources].reverse()])
        assert.equal((await loadReputation(await sourcesOf(...order))).classify(listed).treatment, 'refuse')
    })

    it('still throttle and still do not flag relays', async () => {
      for (const [ipClass, treatment] of [
        ['tor', 'flag'],
        ['relay', 'none'],
      ] as const) {
        const path = await file(listed)
        await setAge(path, 400 * day)
        const reputation = await loadReputation(await sourcesOf({ path, class: ipClass }))
        assert.equal(reputation.classify(listed).treatment, treatment)
      }
    })

    it('are as old as the database says of itself, not as its file is', async () => {
      const path = await file(
        writeMmdb({ '45.0.0.0/8': { x: 'y' } }, { builtMs: Date.now() - 61 * day }),
        'mmdb',
      )
      assert.equal(
        stateOf(await loadReputation(await sourcesOf({ path, class: 'vpn' }))).problem,
        'is too old',
      )
    })
  })
})
