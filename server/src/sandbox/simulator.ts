/** Starts the simulator as a separate program, with accounts that exist only for this run. */
import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import type { Receipt } from '../channels/channel.ts'
import type { AnyKind, Kinds } from '../channels/index.ts'
import type { SimulatorPorts } from '../config.ts'
import {
  accountContext,
  type Provider,
  simulatorAccountId,
  whatsappNumberIn,
} from '../domain/routing/index.ts'
import { callbackPath } from '../http/callbacks.ts'
import type { Log } from '../platform/log.ts'
import type { FirstApp } from './first-app.ts'

const host = '127.0.0.1'
/** Far more than it needs, because the machine may be busy. If the program ends, that is noticed at once. */
const readyMs = 60_000
const stopMs = 5_000
const introductionMs = 5_000
const mailDomain = 'countersign.example'

export interface Simulator {
  readonly access: SimulatorAccess
  readonly close: () => Promise<void>
}

/** Everything that a process needs to use the simulator, whichever process has started it. */
export interface SimulatorAccess {
  readonly ports: SimulatorPorts
  readonly credentials: Credentials
}

export const phonesUrlOf = ({ ports }: SimulatorAccess) => `http://localhost:${ports.http}`

interface Credentials {
  readonly appSecret: string
  readonly accessToken: string
  readonly verifyToken: string
  readonly telegramToken: string
  readonly smppPassword: string
  readonly smtpPassword: string
  readonly returnPathSecret: string
  /** Authenticates the service to the simulator. */
  readonly serviceToken: string
}

const whatsapp = { phoneNumberId: '100000000000001', number: '+15550001111' }
const smppSystemId = 'countersign'
const smtpUser = 'countersign'

interface SimulatorAddresses {
  readonly localUrl: string
  readonly publicUrl: string
  readonly bouncePort: number | null
}

export async function startSimulator(
  program: string,
  ports: SimulatorPorts,
  { log, ...addresses }: SimulatorAddresses & { readonly log: Log },
): Promise<Simulator> {
  if (!existsSync(program)) throw new Error('The simulator has not been built. Run "npm run build".')
  const credentials = newCredentials()
  const child = fork(program, {
    env: environmentOf(ports, credentials, addresses),
    // In its own process group, so that Ctrl-C in a terminal does not reach it before its turn.
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const bound = await new Promise<SimulatorPorts>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('The simulator did not start in time.')), readyMs)
    child.once('exit', () => reject(new Error('The simulator ended while starting.')))
    child.once(
      'message',
      (message: { error?: string; httpPort?: number; smtpPort?: number; smppPort?: number }) => {
        clearTimeout(timer)
        const { httpPort: http, smtpPort: smtp, smppPort: smpp } = message
        if (http && smtp && smpp) resolve({ http, smtp, smpp })
        else reject(new Error(message.error ?? 'The simulator said nothing useful.'))
      },
    )
  })
  const onExit = () => log('error', 'the simulator has ended; messages wait until it is back: restart', {})
  child.on('exit', onExit)
  return {
    access: { ports: bound, credentials },
    close: () =>
      new Promise((resolve) => {
        child.off('exit', onExit)
        if (child.exitCode !== null || child.signalCode !== null) return resolve()
        const timer = setTimeout(() => child.kill('SIGKILL'), stopMs)
        child.once('exit', () => {
          clearTimeout(timer)
          resolve()
        })
        child.kill('SIGTERM')
      }),
  }
}

function newCredentials(): Credentials {
  const secret = () => randomBytes(16).toString('hex')
  return {
    appSecret: secret(),
    accessToken: secret(),
    verifyToken: secret(),
    telegramToken: secret(),
    // SMPP 3.4 allows passwords of at most eight characters.
    smppPassword: randomBytes(4).toString('hex'),
    smtpPassword: secret(),
    returnPathSecret: secret(),
    serviceToken: secret(),
  }
}

/**
 * Tells the simulator about the service, so that its phones page can send and check a code and link to the dashboard.
 * If this fails, the page does less.
 */
export async function introduceService(
  { ports, credentials }: SimulatorAccess,
  { url, localUrl }: { readonly url: string; readonly localUrl: string },
  { app_id, server_key }: FirstApp,
): Promise<void> {
  await fetch(`http://${host}:${ports.http}/service`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${credentials.serviceToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: localUrl, key: server_key, dashboard: `${url}/dashboard`, app_id }),
    signal: AbortSignal.timeout(introductionMs),
  }).catch(() => null)
}

function environmentOf(
  ports: SimulatorPorts,
  credentials: Credentials,
  { localUrl, publicUrl, bouncePort }: SimulatorAddresses,
): Record<string, string> {
  return {
    SIMULATOR_HOST: host,
    SIMULATOR_PUBLIC_HOST: new URL(publicUrl).hostname,
    SIMULATOR_PORT: String(ports.http),
    SIMULATOR_SMTP_PORT: String(ports.smtp),
    SIMULATOR_SMPP_PORT: String(ports.smpp),
    SIMULATOR_WHATSAPP_WEBHOOK_URL: `${localUrl}${callbackPath(simulatorAccountId('whatsapp'))}`,
    SIMULATOR_WHATSAPP_APP_SECRET: credentials.appSecret,
    SIMULATOR_WHATSAPP_ACCESS_TOKEN: credentials.accessToken,
    SIMULATOR_WHATSAPP_VERIFY_TOKEN: credentials.verifyToken,
    SIMULATOR_WHATSAPP_PHONE_NUMBER_ID: whatsapp.phoneNumberId,
    SIMULATOR_WHATSAPP_NUMBER: whatsapp.number,
    SIMULATOR_TELEGRAM_TOKEN: credentials.telegramToken,
    SIMULATOR_SMPP_SYSTEM_ID: smppSystemId,
    SIMULATOR_SMPP_PASSWORD: credentials.smppPassword,
    SIMULATOR_SERVICE_TOKEN: credentials.serviceToken,
    SIMULATOR_SMTP_USER: smtpUser,
    SIMULATOR_SMTP_PASSWORD: credentials.smtpPassword,
    ...(bouncePort === null
      ? {}
      : { SIMULATOR_BOUNCE_HOST: host, SIMULATOR_BOUNCE_PORT: String(bouncePort) }),
  }
}

export function simulatorProviders(
  { ports, credentials }: SimulatorAccess,
  kinds: Kinds,
  onReceipt: (providerId: string, receipt: Receipt) => Promise<void>,
  log: Log,
): Provider[] {
  const http = `http://${host}:${ports.http}`
  const open = (kind: AnyKind, written: Record<string, unknown>): Provider => {
    const providerId = simulatorAccountId(kind.channel)
    const settings = kind.settings.parse(written)
    return {
      providerId,
      kind: providerId,
      channel: kind.channel,
      companyId: null,
      countries: null,
      priority: 0,
      whatsappNumber: whatsappNumberIn(settings),
      isSimulated: true,
      account: kind.open(
        settings,
        accountContext(providerId, onReceipt, { isPassive: false, lookup: null }, log),
      ),
    }
  }
  return [
    open(kinds.smpp, {
      host,
      port: ports.smpp,
      system_id: smppSystemId,
      password: credentials.smppPassword,
      source_addr: 'Countersign',
    }),
    open(kinds.whatsapp, {
      phone_number_id: whatsapp.phoneNumberId,
      number: whatsapp.number,
      access_token: credentials.accessToken,
      app_secret: credentials.appSecret,
      verify_token: credentials.verifyToken,
      template_name: 'verification_code',
      base_url: `${http}/whatsapp/v21.0`,
    }),
    open(kinds.telegram, { token: credentials.telegramToken, base_url: `${http}/telegram` }),
    open(kinds.smtp, {
      host,
      port: ports.smtp,
      user: smtpUser,
      password: credentials.smtpPassword,
      require_tls: false,
      from: `Countersign <codes@${mailDomain}>`,
      return_path_domain: mailDomain,
      return_path_secret: credentials.returnPathSecret,
    }),
  ]
}
