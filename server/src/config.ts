/** The environment, read once, checked whole. */
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { parseCidr } from './platform/trusted-proxies.ts'

export type Role = 'api' | 'worker' | 'all'

export interface SimulatorPorts {
  readonly http: number
  readonly smtp: number
  readonly smpp: number
}

export interface Config {
  readonly port: number
  readonly host: string
  readonly dataDir: string
  /** Null: the embedded one. */
  readonly databaseUrl: string | null
  readonly databaseConnections: number
  /** Null: generated into the data folder. */
  readonly masterKeys: readonly Buffer[] | null
  readonly adminToken: string | null
  /** Null: metrics are open to whoever reaches the port. */
  readonly metricsToken: string | null
  readonly publicUrl: string
  readonly trustedProxies: readonly string[]
  /** Networks that are not public and may be called all the same, as by a customer's webhook. */
  readonly allowedRanges: readonly string[]
  readonly ipSourcesFile: string | null
  readonly role: Role
  /** On this machine, under one parent. */
  readonly processes: number
  readonly retentionDays: number
  readonly logLevel: string
  /** Null: no simulator. */
  readonly simulator: SimulatorPorts | null
  /** Null: off. 0: a free one. */
  readonly bouncePort: number | null
}

type Environment = Readonly<Record<string, string | undefined>>

/** All that is wrong at once, so that it is mended at once. */
export class ConfigError extends Error {}

const masterKeyBytes = 32
const highestProcesses = 64
/** Of its 200, some are for the command line and for whoever looks. */
const embeddedConnections = 180
/** What the sandbox allows: a receiver on the same machine. */
const loopback = ['127.0.0.0/8', '::1/128']

export function readConfig(environment: Environment = process.env): Config {
  const problems: string[] = []
  const text = (name: string) => environment[name]?.trim() || null
  const number = (name: string, fallback: number, lowest: number, highest: number, or = '') => {
    const raw = text(name)
    const value = raw === null ? fallback : Number(raw)
    if (Number.isInteger(value) && value >= lowest && value <= highest) return value
    problems.push(`${name} must be a whole number from ${lowest} to ${highest}${or}, not "${raw}".`)
    return fallback
  }
  const port = (name: string, fallback: number) => number(name, fallback, 0, 65_535)
  const choice = <Value extends string>(name: string, values: readonly Value[], fallback: Value): Value => {
    const raw = text(name)
    if (raw === null) return fallback
    const found = values.find((value) => value === raw)
    if (found) return found
    problems.push(`${name} must be one of ${values.join(', ')}, not "${raw}".`)
    return fallback
  }

  const databaseUrl = text('DATABASE_URL')
  if (databaseUrl !== null && !/^postgres(ql)?:\/\//.test(databaseUrl)) {
    problems.push('DATABASE_URL must look like postgresql://user:password@host:5432/name.')
  }
  const isEmbedded = databaseUrl === null
  const masterKeys = parseMasterKeys(text('MASTER_KEY'), problems)
  const adminToken = text('ADMIN_TOKEN')
  if (adminToken !== null && adminToken.length < 24)
    problems.push('ADMIN_TOKEN must have at least 24 characters.')
  const metricsToken = text('METRICS_TOKEN')
  if (metricsToken !== null && /\s/.test(metricsToken))
    problems.push('METRICS_TOKEN must not contain spaces.')
  if (!isEmbedded) {
    if (masterKeys === null)
      problems.push(
        'MASTER_KEY is needed with DATABASE_URL: 32 random bytes in base64 (openssl rand -base64 32).',
      )
    if (adminToken === null)
      problems.push('ADMIN_TOKEN is needed with DATABASE_URL: at least 24 random characters.')
  }
  const role = choice('ROLE', ['api', 'worker', 'all'], 'all')
  if (isEmbedded && role !== 'all')
    problems.push('ROLE=api and ROLE=worker need DATABASE_URL: the embedded database belongs to one process.')
  const httpPort = port('PORT', 3000)
  const databaseConnections = number('DATABASE_CONNECTIONS', 20, 4, 500)
  /** The embedded database has so many connections for all. */
  const mostProcesses = isEmbedded
    ? Math.max(1, Math.floor(embeddedConnections / databaseConnections))
    : highestProcesses
  const processes =
    text('PROCESSES') === 'auto'
      ? Math.min(availableParallelism(), mostProcesses)
      : number('PROCESSES', 1, 1, mostProcesses, ' or "auto"')
  const isSimulated = choice('SIMULATOR', ['on', 'off'], isEmbedded ? 'on' : 'off') === 'on'
  const networks = (name: string) => {
    const entries = (text(name) ?? '').split(',').map((entry) => entry.trim())
    const found = entries.filter(Boolean)
    for (const entry of found) {
      if (!parseCidr(entry))
        problems.push(`${name}: "${entry}" is neither an address nor a CIDR such as 10.0.0.0/8.`)
    }
    return found
  }
  const allowedRanges = networks('ALLOWED_RANGES')
  const config: Config = {
    port: httpPort,
    host: text('HOST') ?? (isEmbedded ? '127.0.0.1' : '0.0.0.0'),
    dataDir: resolve(text('DATA_DIR') ?? '.data'),
    databaseUrl,
    databaseConnections,
    masterKeys,
    adminToken,
    metricsToken,
    publicUrl: parsePublicUrl(text('PUBLIC_URL'), httpPort, problems),
    trustedProxies: networks('TRUSTED_PROXIES'),
    allowedRanges: allowedRanges.length > 0 || !isSimulated ? allowedRanges : loopback,
    ipSourcesFile: text('IP_SOURCES'),
    role,
    processes,
    // A paused endpoint's events are kept for a week, so nothing may go sooner.
    retentionDays: number('RETENTION_DAYS', 30, 8, 3_650),
    logLevel: choice('LOG_LEVEL', ['debug', 'info', 'warn', 'error', 'silent'], 'info'),
    simulator: isSimulated
      ? {
          http: port('SIMULATOR_PORT', 3001),
          smtp: port('SIMULATOR_SMTP_PORT', 3025),
          smpp: port('SIMULATOR_SMPP_PORT', 3775),
        }
      : null,
    bouncePort: text('BOUNCE_PORT') === null ? (isSimulated ? 0 : null) : port('BOUNCE_PORT', 0),
  }
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
  return Object.freeze(config)
}

function parseMasterKeys(raw: string | null, problems: string[]): readonly Buffer[] | null {
  if (raw === null) return null
  const keys = raw.split(',').map((entry) => Buffer.from(entry.trim(), 'base64'))
  if (keys.some((key) => key.length !== masterKeyBytes)) {
    problems.push(
      'MASTER_KEY must be 32 random bytes in base64 (openssl rand -base64 32); after a change "new,old".',
    )
  }
  return keys
}

function parsePublicUrl(raw: string | null, port: number, problems: string[]): string {
  const address = raw ?? `http://localhost:${port}`
  const url = URL.canParse(address) ? new URL(address) : null
  if (url && /^https?:$/.test(url.protocol) && !url.search && !url.hash) return url.href.replace(/\/$/, '')
  problems.push(`PUBLIC_URL must be an address such as https://otp.example.com, without query and fragment.`)
  return `http://localhost:${port}`
}
