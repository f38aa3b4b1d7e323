/** Any recorded traffic through the guard: `npm run bench:pumping -- --trace FILE`. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it, mock } from 'node:test'
import { replayTrace } from '../../bench/pumping/replay-trace.ts'
import { FileError } from '../../bench/pumping/trace.ts'
import { programOf } from './harness/program.ts'
import { blockNumbers } from './harness/pumping.ts'

const command = programOf(new URL('../../bench/pumping/main.ts', import.meta.url))

interface Line {
  readonly t: unknown
  readonly recipient: string
  readonly client_ip?: string | null
  readonly approves_after?: number | null
  readonly label?: string
}

interface Decision {
  readonly index: number
  readonly outcome: 'sent' | 'rerouted' | 'stopped'
  readonly scope: string | null
}

/** People who use their codes, an attack on one range of numbers, and people again. */
function dayOf(): Line[] {
  const people = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => ({
      t: from + index * 30,
      recipient: `+4474${String(10_000_000 + index * 1_234_567 + from).slice(0, 8)}`,
      client_ip: `81.2.${index}.${from % 200}`,
      approves_after: index % 4 === 3 ? null : 20,
      label: 'honest',
    }))
  const attack = blockNumbers('+99450510', 60).map((recipient, index) => ({
    t: 2_000 + index * 2,
    recipient,
    client_ip: `86.${index}.7.9`,
    approves_after: null,
    label: 'attack',
  }))
  // As many as it takes until the app's trial is over.
  return [...people(0, 64), ...attack, ...people(3_000, 40)]
}

describe('a trace through the guard', () => {
  let folder: string

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countersign-trace-'))
  })

  after(async () => {
    await rm(folder, { recursive: true, force: true })
  })

  const write = (name: string, text: string) => writeFile(join(folder, name), text)
  const writeLines = (name: string, lines: readonly Line[]) =>
    write(name, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))

  /** File names are relative to where npm was called, which INIT_CWD says. */
  const run = (...args: string[]) =>
    new Promise<{ code: number | null; out: string; err: string }>((resolve, reject) => {
      const child = spawn(process.execPath, [...command, ...args], {
        env: { ...process.env, INIT_CWD: folder },
      })
      let [out, err] = ['', '']
      child.stdout.on('data', (bytes) => {
        out += bytes
      })
      child.stderr.on('data', (bytes) => {
        err += bytes
      })
      child.on('error', reject)
      child.on('close', (code) => resolve({ code, out, err }))
    })
  /** Runs the program in this process, without starting another. */
  async function replay(
    name: string,
    more: {
      decisions?: string
      settings?: string
      ipSources?: string
      countries?: string[]
      database?: true
    } = {},
  ): Promise<string> {
    const { decisions = null, settings = null, ipSources = null, countries = [], database = false } = more
    const inFolder = (file: string | null) => file && join(folder, file)
    const log = mock.method(console, 'log', () => {})
    try {
      await replayTrace(join(folder, name), {
        decisionsFile: inFolder(decisions),
        settingsFile: inFolder(settings),
        ipSourcesFile: inFolder(ipSources),
        countries,
        isOnDatabase: database,
        signal: new AbortController().signal,
      })
      return log.mock.calls.map((call) => call.arguments.join(' ')).join('\n')
    } finally {
      log.mock.restore()
    }
  }
  const decisionsIn = async (name: string): Promise<Decision[]> =>
    (await readFile(join(folder, name), 'utf8'))
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text))

  it('stops the attack and no person, decides the same without labels and on a database, and prints what each label had', async () => {
    const lines = dayOf()
    await writeLines('day.jsonl', lines)
    await writeLines(
      'bare.jsonl',
      lines.map(({ label: _, ...line }) => line),
    )
    const day = await run('--trace', 'day.jsonl', '--decisions', 'day.out')
    assert.equal(day.code, 0, day.err)
    const decisions = await decisionsIn('day.out')
    assert.deepEqual(
      decisions.map(({ index }) => index),
      lines.map((_, index) => index),
    )
    const isStopped = (label: string) =>
      decisions.filter(({ index, outcome }) => lines[index]?.label === label && outcome === 'stopped').length
    assert.equal(isStopped('honest'), 0)
    assert.equal(isStopped('attack'), 55)
    for (const { outcome, scope } of decisions) assert.equal(scope, outcome === 'sent' ? null : 'pumping')
    assert.match(day.out, /attack +60 +55 +0 +\d+\.\d s +pumping 55/)
    assert.match(day.out, /honest +104 +0 +0 +never/)

    const bare = await replay('bare.jsonl', { decisions: 'bare.out', database: true })
    assert.deepEqual(await decisionsIn('bare.out'), decisions)
    assert.match(bare, /\(no label\) +164 +55/)
  })

  it('takes lists, settings and declared countries, and lines of every allowed shape', async () => {
    await writeLines('odd.jsonl', [
      { t: 1_700_000_000.5, recipient: '+447400123456', client_ip: null, approves_after: null },
      { t: 1_700_000_000.5, recipient: '+447400123456' },
      { t: 1_700_000_001, recipient: '+447400123456', client_ip: '10.0.0.1' },
      { t: 1_700_000_002, recipient: '+44', label: 'no number' },
      { t: 1_700_000_002, recipient: '+447400123457', client_ip: 'nowhere' },
      { t: 1_700_000_003, recipient: 'ada@example.com', approves_after: 0 },
      { t: 1_700_000_004, recipient: '+447400123458', client_ip: '45.84.0.9' },
      ...['45.83.0.1', '45.85.0.1', '45.86.0.1', '45.87.0.1', '45.88.0.1'].flatMap((client_ip, list) =>
        [1, 2].map((count) => ({ t: 1_700_000_005, recipient: `+4474001240${list}${count}`, client_ip })),
      ),
      // Days later, when the database needs new partitions.
      { t: 1_702_000_000, recipient: '+447400123459', client_ip: '45.83.0.2' },
      ...blockNumbers('+99450512', 40).map((recipient, index) => ({ t: 1_702_000_001 + index, recipient })),
    ])
    const lists = ['tor', 'abusive', 'proxy', 'vpn', 'hosting', 'relay']
    const networks = [
      '45.83.0.0/24',
      '45.84.0.0/24',
      '45.85.0.0/24',
      '45.86.0.0/24',
      '45.87.0.0/24',
      '45.88.0.0/24',
    ]
    for (const [index, name] of lists.entries()) await write(`${name}.txt`, `${networks[index]}\n`)
    await write(
      'lists.json',
      JSON.stringify(lists.map((name) => ({ path: join(folder, `${name}.txt`), class: name }))),
    )
    await write(
      'settings.json',
      JSON.stringify({
        routing: { default: ['sms', 'whatsapp', 'email'] },
        channels: { whatsapp: { mode: 'link_inbound' } },
        limits: {
          recipient: [{ max: 2, window_s: 600 }],
          flagged_ip: [{ max: 1, window_s: 600 }],
          app_without_ip: [{ max: 60, window_s: 60 }],
        },
      }),
    )
    const options = ['--settings', 'settings.json', '--ip-sources', 'lists.json', '--countries', 'gb, AZ']
    const { code, err } = await run('--trace', 'odd.jsonl', '--decisions', 'odd.out', ...options)
    assert.equal(code, 0, err)
    const decisions = await decisionsIn('odd.out')
    const scopes = decisions.map(({ outcome, scope }) => (scope === null ? outcome : `${outcome} ${scope}`))
    const flagged = ['sent', 'stopped flagged_ip']
    assert.deepEqual(scopes.slice(0, 18), [
      'sent',
      'sent',
      'stopped recipient',
      'stopped InvalidRecipientError',
      'stopped ValidationError',
      'sent',
      'stopped IpReputationBlockedError',
      ...[...flagged, ...flagged, ...flagged, ...flagged],
      ...['sent', 'sent'],
      'sent',
    ])
    assert.ok(scopes.slice(18).includes('rerouted pumping'))
    assert.ok(!scopes.slice(18).some((scope) => scope.startsWith('stopped')))
    await replay('odd.jsonl', {
      decisions: 'slow.out',
      settings: 'settings.json',
      ipSources: 'lists.json',
      countries: ['GB', 'AZ'],
      database: true,
    })
    assert.deepEqual(await decisionsIn('slow.out'), decisions)
  })

  it('names the line that it cannot read, before it starts', async () => {
    const good = JSON.stringify({ t: 5, recipient: '+447400123456' })
    const bad: readonly [string, RegExp][] = [
      ['nonsense', /bad\.jsonl, line 2: is not JSON/],
      ['{"t": "soon", "recipient": "+447400123456"}', /bad\.jsonl, line 2: t: /],
      ['{"t": 4, "recipient": "+447400123456"}', /bad\.jsonl, line 2: t goes back, from 5 to 4/],
      ['{"t": 6}', /bad\.jsonl, line 2: recipient: /],
      [
        '{"t": 6, "recipient": "+447400123456", "approves_after": -1}',
        /bad\.jsonl, line 2: approves_after: /,
      ],
    ]
    for (const [text, expected] of bad) {
      await write('bad.jsonl', `${good}\n${text}\n`)
      await assert.rejects(replay('bad.jsonl', { decisions: 'bad.out' }), (error) => {
        assert.ok(error instanceof FileError)
        assert.match(error.message, expected)
        return true
      })
    }
    await assert.rejects(readFile(join(folder, 'bad.out')), { code: 'ENOENT' })
    await assert.rejects(replay('missing.jsonl'), /missing\.jsonl/)
    const { code, out, err } = await run('--trace', 'bad.jsonl')
    assert.deepEqual([code, out], [1, ''])
    assert.match(err, /^bad\.jsonl, line 2: approves_after: /)
    assert.ok(!err.includes('    at '), 'a mistake of whoever called needs no stack')
  })

  it('has nothing to say of an empty file, and refuses settings that the service would refuse', async () => {
    await write('empty.jsonl', '')
    assert.equal(await replay('empty.jsonl', { decisions: 'empty.out' }), 'No sends.')
    assert.equal(await readFile(join(folder, 'empty.out'), 'utf8'), '')
    await write('wrong.json', '{"limits": {"ip": [{"max": 0, "window_s": 1}]}}')
    await assert.rejects(replay('empty.jsonl', { settings: 'wrong.json' }), (error) => {
      assert.ok(error instanceof FileError)
      assert.match(error.message, /^The settings: .*limits\.ip\.0\.max/)
      return true
    })
  })
})
