/**
 * Runs test files in lanes: each lane runs its files in the given order, a number at once, and all lanes run at the same
 * time. A separate program, because each file is run with Node's options of this one; `node --test` would sort the files
 * by name.
 */
import { setMaxListeners } from 'node:events'
import { resolve } from 'node:path'
import { PassThrough } from 'node:stream'
import { run } from 'node:test'
import { spec as Spec } from 'node:test/reporters'

const lanes = JSON.parse(process.argv[2])
const stop = new AbortController()
// Every file adds a listener.
setMaxListeners(0, stop.signal)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    process.exitCode = 1
    stop.abort()
  })
}

/** The summary of a lane when it ends, such as `pass 12`. */
const total = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) ([\d.]+)$/
const totals = new Map()

function takeTotal({ type, data }) {
  const [, name, value] = (type === 'test:diagnostic' && data.nesting === 0 && total.exec(data.message)) || []
  if (!name) return false
  const before = totals.get(name) ?? { data, value: 0 }
  // Lanes run at the same time: all together take as long as the longest.
  const after = name === 'duration_ms' ? Math.max(before.value, Number(value)) : before.value + Number(value)
  totals.set(name, { data, value: after })
  return true
}

/**
 * The reporter assumes that the end of a test follows its start. If an event of another lane comes between, it fails and
 * prints nothing more: so starts are held back and passed on together with the next end.
 */
function writeInTurn(stream) {
  let begun = []
  return (event) => {
    if (event.type === 'test:start') return begun.push(event)
    if (event.type === 'test:pass' || event.type === 'test:fail') {
      for (const each of begun) stream.write(each)
      begun = []
    }
    stream.write(event)
  }
}

const report = new PassThrough({ objectMode: true })
report.pipe(new Spec()).pipe(process.stdout)
let open = lanes.length
for (const { files, atOnce } of lanes) {
  const lane = run({
    files: files.map((file) => resolve(file)),
    concurrency: atOnce,
    signal: stop.signal,
  })
  lane.on('test:fail', ({ todo }) => {
    if (!todo) process.exitCode = 1
  })
  const write = writeInTurn(report)
  lane.on('data', (event) => {
    if (!takeTotal(event)) write(event)
  })
  lane.on('end', () => {
    if (--open > 0) return
    for (const [name, { data, value }] of totals) {
      report.write({ type: 'test:diagnostic', data: { ...data, message: `${name} ${value}` } })
    }
    report.end()
  })
}
