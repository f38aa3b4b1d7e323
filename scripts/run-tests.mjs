/**
 * Runs test files in lanes: each lane takes its files in the order in which they are named, so many at once, and all
 * lanes run at the same time. A program of its own, because each file is run with the options of Node that this was
 * started with; `node --test` would sort the files by name.
 */
import { setMaxListeners } from 'node:events'
import { resolve } from 'node:path'
import { PassThrough } from 'node:stream'
import { run } from 'node:test'
import { spec as Spec } from 'node:test/reporters'

const lanes = JSON.parse(process.argv[2])
const stop = new AbortController()
// Every file listens.
setMaxListeners(0, stop.signal)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    process.exitCode = 1
    stop.abort()
  })
}

/** What a lane says of all its tests when it ends, such as `pass 12`. */
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
 * The reporter takes for granted that the end of a test follows its beginning. Something of another lane may come
 * between, and then it fails and says nothing more: what has begun is passed on together with what ends first.
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
