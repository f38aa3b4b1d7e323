#!/usr/bin/env node
/** The command line. Its changes are made in the database, so it works beside a running service. */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { exits } from './cli/command.ts'
import { codeOf } from './platform/error-code.ts'

/** The package's folder is one level up, for the sources and for the build. */
const packageFolder = new URL('../', import.meta.url)

async function readVersion(): Promise<string> {
  const { version } = JSON.parse(await readFile(new URL('package.json', packageFolder), 'utf8'))
  return String(version)
}

const args = process.argv.slice(2)
const [only = ''] = args.length === 1 ? args : []
/**
 * Loaded only if needed: the service and the commands share little, and each starts sooner without the other. Awaited
 * here because scripts/start.mjs handles Ctrl-C until this file is loaded, and the service does from then on.
 */
const main = args.length === 0 || only === 'start' ? await import('./main.ts') : null

async function run(): Promise<number> {
  if (args.includes('--version') || args.includes('-v') || only === 'version') {
    console.log(await readVersion())
    return 0
  }
  if (main) {
    await main.runService(fileURLToPath(import.meta.url))
    return 0
  }
  const [{ runCommand }, { commandsWith }] = await Promise.all([
    import('./cli/run.ts'),
    import('./cli/commands.ts'),
  ])
  process.stdout.on('error', sayUnwritten)
  return runCommand(commandsWith(fileURLToPath(new URL('migrations', packageFolder))), args, {
    environment: process.env,
    print: (text) => console.log(text),
    complain: (text) => console.error(text),
  })
}

/** A key is printed only once, so output that cannot be written (a full disk) is an error. A closed pipe is not. */
function sayUnwritten(error: Error): void {
  const code = codeOf(error)
  if (code === 'EPIPE') return
  console.error(`The output could not be written (${code}).`)
  process.exitCode = exits.no
}

run().then(
  (code) => {
    process.exitCode ||= code
  },
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error)
    process.exit(1)
  },
)
