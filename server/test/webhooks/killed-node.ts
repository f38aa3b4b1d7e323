/** A node that only sends, as its own program that can be killed: `startKilledNode` runs this very file. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { programOf } from '../harness/program.ts'

const asProgram = 'killed-node'

interface Settings {
  readonly databaseUrl: string
  /** In base64. */
  readonly masterKey: string
}

export interface KilledNode {
  /** Kills it at once, as `kill -9` does; resolves when it is gone. */
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
