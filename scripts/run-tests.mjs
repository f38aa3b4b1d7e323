/**
 * Runs test files in the order in which they are named, so many at once. A program of its own, because each file is
 * run with the options of Node that this was started with; `node --test` would sort the files by name.
 */
import { resolve } from 'node:path'
import { run } from 'node:test'
import { spec as Spec } from 'node:test/reporters'

const [concurrency, ...files] = process.argv.slice(2)
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    process.exitCode = 1
    stop.abort()
  })
}

run({
  files: files.map((file) => resolve(file)),
  concurrency: Number(concurrency),
  signal: stop.signal,
})
  .on('test:fail', ({ todo }) => {
    if (!todo) process.exitCode = 1
  })
  .compose(new Spec())
  .pipe(process.stdout)
