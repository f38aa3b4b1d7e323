/**
 * A node whose machine has a wrong clock, as a program of its own. `startShiftedNode` runs this very file, which shifts
 * the clock before any module of the service is loaded.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Captured } from './capture.ts'
import { programOf } from './program.ts'

const asProgram = 'shifted-node'

interface Settings {
  readonly databaseUrl: string
  readonly shiftMs: number
  /** In base64. */
  readonly masterKey: string
}

type Line = { readonly baseUrl: string } | { readonly captured: Captured }

export interface ShiftedNode {
  readonly baseUrl: string
  /** The messages that its own worker has handed over. */
  readonly captured: readonly Captured[]
  readonly close: () => Promise<void>
}

export async function startShiftedNode(settings: Settings): Promise<ShiftedNode> {
  const child = spawn(
    process.execPath,
    [...programOf(new URL(import.meta.url)), asProgram, JSON.stringify(settings)],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  const exited = once(child, 'exit')
  const captured: Captured[] = []
  const baseUrl = await new Promise<string>((resolve, reject) => {
    void exited.then(() => reject(new Error('the shifted node ended before it was ready')))
    createInterface({ input: child.stdout }).on('line', (text) => {
      const line = JSON.parse(text) as Line
      if ('baseUrl' in line) resolve(line.baseUrl)
      else captured.push(line.captured)
    })
  })
  return {
    baseUrl,
    captured,
    close: async () => {
      child.stdin.end()
      await exited
    },
  }
}

async function run({ databaseUrl, shiftMs, masterKey }: Settings): Promise<void> {
  globalThis.Date = new Proxy(Date, {
    construct: (real, given, target) =>
      Reflect.construct(real, given.length === 0 ? [real.now() + shiftMs] : given, target),
    get: (real, name) => (name === 'now' ? () => real.now() + shiftMs : Reflect.get(real, name)),
  })
  const { startNode } = await import('./node.ts')
  const { Capture } = await import('./capture.ts')
  const say = (line: Line) => process.stdout.write(`${JSON.stringify(line)}\n`)
  const capture = new Capture()
  const keep = capture.messages.push.bind(capture.messages)
  capture.messages.push = (...messages) => {
    for (const message of messages) say({ captured: message })
    return keep(...messages)
  }
  const node = await startNode(databaseUrl, {
    capture,
    masterKeys: { secrets: [Buffer.from(masterKey, 'base64')] },
  })
  say({ baseUrl: node.baseUrl })
  process.stdin.resume().once('end', () => void node.close())
}

const [, , role, settings] = process.argv
if (role === asProgram && settings) await run(JSON.parse(settings) as Settings)
