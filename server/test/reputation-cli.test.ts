/** `countersign ip explain`, as an operator uses it. */
import assert from 'node:assert/strict'
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { runWords } from './cli-support.ts'

describe('countersign ip explain', () => {
  let folder = ''

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countersign-cli-'))
    await writeFile(join(folder, 'drop.txt'), '45.155.205.0/24\n')
    await writeFile(join(folder, 'old.txt'), '45.155.206.0/24\n')
    const old = new Date(Date.now() - 9 * 86_400_000)
    await utimes(join(folder, 'old.txt'), old, old)
    await writeFile(join(folder, 'vpn.txt'), '45.155.205.9\n2a0b:f4c2::/32\n')
    const sources = [
      { path: join(folder, 'drop.txt'), class: 'abusive' },
      { path: join(folder, 'old.txt'), class: 'abusive' },
      { path: join(folder, 'vpn.txt'), class: 'vpn' },
      { url: 'https://lists.example/tor?token=secret', class: 'tor' },
    ]
    await writeFile(join(folder, 'sources.json'), JSON.stringify(sources))
  })
  after(() => rm(folder, { recursive: true, force: true }))

  /** Runs it without a database. */
  const explain = (words: readonly string[], environment: Record<string, string> = {}) =>
    runWords(['ip', ...words], {
      DATA_DIR: join(folder, 'data'),
      IP_SOURCES: join(folder, 'sources.json'),
      ...environment,
    })

  it('says of an abusive address who lists it and that a send is refused', async () => {
    const { code, text } = await explain(['explain', '45.155.205.9'])
    assert.equal(code, 0)
    assert.match(
      text,
      /^45\.155\.205\.9\n {2}syntax +an address\n {2}usable +yes\n {2}counted as +45\.155\.205\.9\n/,
    )
    assert.match(text, /drop\.txt: listed as abusive; \d+ s old, at most 7 d\n/)
    assert.match(text, /old\.txt: not listed \(class abusive\); 9 d old, at most 7 d; PROBLEM: is too old\n/)
    assert.match(text, /vpn\.txt: listed as vpn; \d+ s old, at most 60 d\n/)
    assert.match(
      text,
      /lists\.example\/tor: not listed \(class tor\); not read; PROBLEM: has not been downloaded\n/,
    )
    assert.match(text, /a send +is refused: 403 IpReputationBlockedError\. Listed as abusive\.$/)
    assert.ok(!text.includes('secret'))
  })

  it('says of others what a send would do', async () => {
    for (const [address, expected] of [
      [
        '45.155.206.1',
        /is held to limits\.flagged_ip and limits\.ip\. Listed as abusive\. The list is too old/,
      ],
      [
        '2a0b:f4c2::1',
        /counted as +2a0b:f4c2::\/64\n[\s\S]*is held to limits\.flagged_ip and limits\.ip\. Listed as vpn\./,
      ],
      [
        '::ffff:8.8.8.8',
        /read as +8\.8\.8\.8\n[\s\S]*is held to limits\.ip, as any other\. Not on any list\./,
      ],
      ['10.0.0.1', /usable +no: private\n {2}a send +counts as one without client_ip/],
      ['100.64.0.1', /usable +no: shared inside a carrier/],
    ] as const) {
      const { code, text } = await explain(['explain', address])
      assert.equal(code, 0)
      assert.match(text, expected)
    }
  })

  it('says of what is no address that a send with it is refused, and that the answer is no', async () => {
    for (const address of ['010.0.0.1', 'foo', '8.8.8.8:80', '8.8.8.0/24', 'fe80::1%eth0']) {
      const { code, text } = await explain(['explain', address])
      assert.equal(code, 1, address)
      assert.match(text, /syntax +not an IPv4 or IPv6 address\n {2}a send +is refused: 422 ValidationError/)
    }
  })

  it('works without lists, and says what is wrong with their file or with its own words', async () => {
    assert.match((await explain(['explain', '8.8.8.8'], { IP_SOURCES: '' })).text, /lists +none/)
    const missing = await explain(['explain', '8.8.8.8'], { IP_SOURCES: join(folder, 'no.json') })
    assert.equal(missing.code, 2)
    assert.match(missing.text, /^IP_SOURCES: .*no\.json cannot be read \(ENOENT\)\.$/)
    for (const words of [[], ['explain'], ['ban', '8.8.8.8']]) {
      const { code, text } = await explain(words)
      assert.equal(code, 2)
      assert.match(text, /ip explain/)
    }
  })
})
