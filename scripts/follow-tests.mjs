/**
 * Loaded by every test process before the runner. The runner follows each promise, so that it knows to which test an
 * uncaught error belongs; for a test with a database that is a fifth of its processor time. If many files share a process,
 * promises are followed only while the files are loaded, to see which suite a test is in. An uncaught error still fails
 * the process, and `npm test -- FILE` names its test.
 */
import hooks from 'node:async_hooks'
import { mkdirSync } from 'node:fs'

const { createHook } = hooks
let hook = null
let filesBeingRead = 0
let areFilesDone = true

hooks.createHook = (callbacks) => {
  hook = createHook(callbacks)
  // The first one is the runner's, which is made with the first suite.
  hooks.createHook = createHook
  return hook
}

// For an error that belongs to no test the runner prints only the message.
for (const event of ['uncaughtExceptionMonitor', 'unhandledRejection']) {
  process.on(event, (error) => filesBeingRead === 0 && console.error(error))
}

// For the runner, what a program that ends itself with 0 had not run yet is nothing that failed.
process.on('exit', () => {
  if (areFilesDone) return
  console.error('The program of these tests has ended before all of them were run.')
  process.exitCode = 1
})

/** For the program of a group of files, which calls `begin` and `end` before and after it loads one. */
globalThis.filesOfTests = {
  /** Whether no other program of the pool has come to the file before: only one of them can make its folder. */
  isFirst: (folder) => {
    try {
      mkdirSync(folder)
      return true
    } catch (error) {
      if (error.code === 'EEXIST') return false
      throw error
    }
  },
  allDone: () => {
    areFilesDone = true
  },
  begin: () => {
    areFilesDone = false
    // The runner's is on when it is made.
    if (filesBeingRead++ === 0) hook?.enable()
  },
  end: () => {
    if (--filesBeingRead === 0) hook.disable()
  },
}
