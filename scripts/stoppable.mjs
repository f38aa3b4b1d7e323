/** Runs programs from a script so that Ctrl-C stops them. Plain Node, no packages. */
import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
const patienceMs = 3_000
const pollMs = 50

let running = null
let isStopping = false

/** Resolves with the exit code of the program; once this process is stopping, it never resolves. */
export function runProgram(command, args, options) {
  return new Promise((resolve, reject) => {
    // In a process group of its own: our signal reaches it and all that it has started, and Ctrl-C does not.
    const child = spawn(command, args, { ...options, detached: true })
    running = child
    child.once('error', reject)
    child.once('exit', (code) => {
      running = null
      if (!isStopping) resolve(code)
    })
  })
}

/** While `work` runs, a signal ends what it runs and then this process, with `code`. */
export async function whileStoppable(code, work) {
  const stop = async () => {
    if (isStopping) return
    isStopping = true
    await endRunning()
    process.exit(code)
  }
  for (const signal of signals) process.on(signal, stop)
  await work()
  for (const signal of signals) process.off(signal, stop)
}

async function endRunning() {
  if (!running) return
  console.log('\nStopping…')
  const group = -running.pid
  // npm goes on unpacking for a while after SIGTERM, so it is killed: the next install starts from the beginning anyway.
  for (const signal of ['SIGTERM', 'SIGKILL']) {
    const deadline = Date.now() + patienceMs
    let isThere = signalGroup(group, signal)
    while (isThere && Date.now() < deadline) {
      await sleep(pollMs)
      isThere = signalGroup(group, 0)
    }
    if (!isThere) return
  }
}

/** Whether anything of the group is still there. */
function signalGroup(group, signal) {
  try {
    return process.kill(group, signal)
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
    return false
  }
}
