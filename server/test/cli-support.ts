/** A service whose carriers report what a test tells them to, and its command line. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AppOptions } from '../src/app.ts'
import type { Receipt } from '../src/channels/channel.ts'
import { commandsWith } from '../src/cli/commands.ts'
import { runCommand } from '../src/cli/run.ts'
import { Capture } from './harness/capture.ts'
import { migrationsFolder } from './harness/database.ts'
import { createTenant, type Tenant, until } from './harness/fixtures.ts'
import { adminToken, testMasterKeys } from './harness/node.ts'
import { type Service, startService } from './harness/service.ts'

export const commands = commandsWith(migrationsFolder)

interface Said {
  readonly code: number
  readonly text: string
}

/** Runs the command line in this process, without starting a program. */
export async function runWords(words: readonly string[], environment: Record<string, string>): Promise<Said> {
  const lines: string[] = []
  const write = (line: string) => lines.push(line)
  const code = await runCommand(commands, words, { environment, print: write, complain: write })
  return { code, text: lines.join('\n') }
}

export interface CommandLine {
  readonly service: Service
  readonly tenant: Tenant
  readonly capture: Capture
  readonly builtIn: AppOptions['builtIn']
  /** The receipt that a provider sends after it has accepted a message. */
  readonly answerReceipts: (receipt: 'delivered' | 'failed' | 'none') => void
  readonly countersign: (words: readonly string[], more?: Record<string, string>) => Promise<Said>
  /** The environment, unless a test adds to it. */
  readonly environment: Readonly<Record<string, string>>
  readonly close: () => Promise<void>
}

export async function startCommandLine(): Promise<CommandLine> {
  let receipt: 'delivered' | 'failed' | 'none' = 'delivered'
  const capture = new Capture()
  /** With the simulator's provider ids, which the command line knows. */
  const builtIn: AppOptions['builtIn'] = (onReceipt) =>
    capture.providers().map((provider) => {
      const providerId = `simulator-${provider.channel}`
      const send: typeof provider.account.send = async (message, signal) => {
        const outcome = await provider.account.send(message, signal)
        if (receipt !== 'none' && outcome.kind === 'accepted')
          report(onReceipt, providerId, message.deliveryId, receipt).catch(() => {})
        return outcome
      }
      return { ...provider, providerId, account: { ...provider.account, send }, isSimulated: true }
    })
  /** Sends the receipt once the message is recorded as sent, as carriers do. */
  async function report(
    onReceipt: (providerId: string, receipt: Receipt) => Promise<void>,
    providerId: string,
    deliveryId: string,
    status: 'delivered' | 'failed',
  ): Promise<void> {
    const isWritten = `select 1 from deliveries where delivery_id = $1 and status = 'sent'`
    await until('the message to be sent', async () => {
      const rows = await service.database.query(isWritten, [deliveryId])
      return rows.length > 0
    })
    await onReceipt(providerId, { deliveryId, messageId: null, status, error: null, unreachable: false })
  }

  const folder = await mkdtemp(join(tmpdir(), 'countersign-cli-'))
  const service = await startService({ capture, builtIn })
  const tenant = await createTenant(service.node)
  const settings = (more: Record<string, string> = {}) => ({
    DATA_DIR: folder,
    DATABASE_URL: service.database.url,
    MASTER_KEY: testMasterKeys.secrets[0].toString('base64'),
    ADMIN_TOKEN: adminToken,
    SIMULATOR: 'on',
    PUBLIC_URL: service.node.baseUrl,
    COUNTERSIGN_URL: service.node.baseUrl,
    COUNTERSIGN_KEY: tenant.serverKey,
    ...more,
  })
  return {
    service,
    tenant,
    capture,
    builtIn,
    answerReceipts: (word) => {
      receipt = word
    },
    environment: settings(),
    countersign: (words, more) => runWords(words, settings(more)),
    close: async () => {
      await service.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
