/**
 * Read by every process of tests before the runner is. The runner follows each promise, so that it knows to which test
 * an error belongs that nobody has caught; for a test that works with a database that is a fifth of its processor time.
 * Where many files share a process it follows only while they are read, to see which suite a test is in. An error that
 * nobody has caught fails the process all the same, and `npm test -- FILE` names its test.
 */
import hooks from 'node:async_hooks'

const { createHook } = hooks
let hook = null
let filesBeingRead = 0

hooks.createHook = (callbacks) => {
  hook = createHook(callbacks)
  // The first one is the runner's, which is made with the first suite.
  hooks.createHook = createHook
  return hook
}

// Of an error that belongs to no test the runner prints the message alone.
for (const event of ['uncaughtExceptionMonitor', 'unhandledRejection']) {
  process.on(event, (error) => filesBeingRead === 0 && console.error(error))
}

/** For the program of a group of files, which says when it is about to read one, and when it has. */
globalThis.filesOfTests = {
  begin: () => {
    // The runner's is on when it is made.
    if (filesBeingRead++ === 0) hook?.enable()
  },
  end: () => {
    if (--filesBeingRead === 0) hook.disable()
  },
}
