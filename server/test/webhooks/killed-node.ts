/** A node that only sends, as a program of its own: `startKilledNode` runs this very file, and it can be killed. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { programOf } from '../harness/program.ts'

const asProgram = 'killed-node'

interface Settings {
  readonly databaseUrl: string
  /** Base64. */
  readonly masterKey: string
}

export interface KilledNode {
  /** At once, as by `kill -9`; returns when it is gone. */
  readonly kill: () => Promise<void>
}

export async function startKilledNode(settings: Settings): Promise<KilledNode> {
  const child = spawn(
    process.execPath,
    [...programOf(new URL(import.meta.url)), asProgram, JSON.stringify(settings)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const exited = once(child, 'exit')
  const isReady = await Promise.race([once(child.stdout, 'data').then(() => true), exited.then(() => false)])
  if (!isReady) throw new Error('the node ended before it was ready')
  return {
    kill: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}

const [, , role, settings] = process.argv
if (role === asProgram && settings) {
  const { startNode } = await import('../harness/node.ts')
  const { databaseUrl, masterKey } = JSON.parse(settings) as Settings
  const secrets = [Buffer.from(masterKey, 'base64')] as const
  await startNode(databaseUrl, { role: 'worker', masterKeys: { secrets } })
  process.stdout.write('ready\n')
}
