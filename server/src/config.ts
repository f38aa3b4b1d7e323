/** The configuration, read once from the environment. */
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import type { AccountChoice } from '@countersign/contract'
import { type CanaryPlan, type Environment, environment } from './config/environment.ts'
import { ConfigError } from './platform/config-error.ts'
import { distance } from './platform/nearest.ts'
import { masterKeyRule, tokenRule } from './platform/secret-rules.ts'

export type Role = Environment['ROLE']

export interface TraceOptions {
  /** The collector's base URL. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The share of verifications that are traced, from 0 to 1. */
  readonly share: number
}

export interface SimulatorPorts {
  readonly http: number
  readonly smtp: number
  readonly smpp: number
}

export interface Config {
  readonly port: number
  readonly host: string
  readonly dataDir: string
  /** Null for the embedded database. */
  readonly databaseUrl: string | null
  /** Null to read lists and figures from the primary. */
  readonly databaseReadUrl: string | null
  readonly databaseConnections: number
  /** Null if the key is generated into the data folder. */
  readonly masterKeys: readonly Buffer[] | null
  readonly adminToken: string | null
  /** Null if anybody who can reach the port may read the metrics. */
  readonly metricsToken: string | null
  readonly publicUrl: string
  readonly trustedProxies: readonly string[]
  /** Networks that are not public but may be called, for example by a customer's webhook. */
  readonly allowedRanges: readonly string[]
  readonly ipSourcesFile: string | null
  readonly role: Role
  /** How many processes run on this machine, under one parent. */
  readonly processes: number
  /** How long a node that a supervisor stops still accepts calls, while /readyz reports the stop. */
  readonly drainSeconds: number
  /** How accounts are chosen for an app that does not set it. */
  readonly routingAccounts: AccountChoice
  readonly retentionDays: number
  readonly logLevel: string
  /** Null for no simulator. */
  readonly simulator: SimulatorPorts | null
  /** Null if bounces are not received; 0 for a free port. */
  readonly bouncePort: number | null
  /** The operator's own verifications, to see that messages arrive. */
  readonly canaries: readonly CanaryPlan[]
  readonly canaryEverySeconds: number
  /** Where traces are sent; null for no traces. */
  readonly trace: TraceOptions | null
}

type Surroundings = Readonly<Record<string, string | undefined>>

/** What the sandbox allows: a webhook receiver on the same machine. */
const loopback = ['127.0.0.0/8', '::1/128']
/** Most load balancers check twice in this time. Not used in a sandbox, which has none. */
export const defaultDrainSeconds = 5
/** The embedded database allows 200 connections; the rest is for the command line and for people who open it. */
const embeddedConnections = 180

/** Reports everything that is wrong, so that all of it can be fixed in one go. */
export function readConfig(surroundings: Surroundings = process.env): Config {
  const parsed = environment.safeParse(surroundings)
  const problems = [
    ...(parsed.error?.issues ?? []).map(({ path, message }) => `${path.join('.')}${message}`),
    ...conflictsIn(surroundings),
  ]
  if (!parsed.success || problems.length > 0)
    throw new ConfigError([...problems, ...slipsIn(surroundings)].join('\n'))
  const config = configOf(parsed.data)
  const clash = portClashIn(config)
  if (clash) throw new ConfigError(clash)
  return Object.freeze(config)
}

/** Two equal ports would be reported only as a port that another program uses. */
function portClashIn({ port, bouncePort, role, simulator }: Config): string | null {
  const ports: readonly (readonly [name: string, port: number | null | undefined])[] = [
    ['PORT', port],
    ['BOUNCE_PORT', role === 'api' ? null : bouncePort],
    ['SIMULATOR_PORT', simulator?.http],
    ['SIMULATOR_SMTP_PORT', simulator?.smtp],
    ['SIMULATOR_SMPP_PORT', simulator?.smpp],
  ]
  for (const [index, [name, number]] of ports.entries()) {
    const other = number && ports.slice(index + 1).find(([, each]) => each === number)
    if (other) return `${name} and ${other[0]} are both ${number}. Give each a port of its own.`
  }
  return null
}

/** Shorter names are too similar to variables of other programs. */
const shortestSlip = 8

/** Unknown variables that differ from ours by one letter: with a mistyped DATABASE_URL a sandbox would start. */
export function slipsIn(surroundings: Surroundings = process.env): string[] {
  const known = Object.keys(environment.shape).filter((name) => name.length >= shortestSlip)
  return Object.keys(surroundings).flatMap((name) => {
    if (Object.hasOwn(environment.shape, name)) return []
    // Compares lengths first, since some clusters set very many variables.
    const near = known.filter((each) => Math.abs(each.length - name.length) <= 1)
    const meant = near.find((each) => distance(name.toUpperCase(), each) <= 1)
    return meant ? [`${name} is not read. Did you mean ${meant}?`] : []
  })
}

/**
 * Variables that contradict each other. Checks only whether they are set, so that this is reported together with values
 * that cannot be read.
 */
function conflictsIn(surroundings: Surroundings): string[] {
  const isSet = (name: keyof Environment) => Boolean(surroundings[name]?.trim())
  if (!isSet('DATABASE_URL')) {
    const isShared = ['api', 'worker'].includes(surroundings.ROLE?.trim() ?? '')
    const isCrowded = crowdsEmbedded(surroundings)
    return [
      ...(isSet('DATABASE_READ_URL')
        ? ['DATABASE_READ_URL needs DATABASE_URL: it names a standby of it.']
        : []),
      ...(isShared
        ? ['ROLE=api and ROLE=worker need DATABASE_URL: the embedded database belongs to one service.']
        : []),
      ...(isCrowded
        ? [
            `PROCESSES times DATABASE_CONNECTIONS must be at most ${embeddedConnections} with the embedded database.`,
          ]
        : []),
    ]
  }
  const needed = [
    ['MASTER_KEY', masterKeyRule],
    ['ADMIN_TOKEN', tokenRule],
  ] as const
  return needed
    .filter(([name]) => !isSet(name))
    .map(([name, rule]) => `${name} is needed with DATABASE_URL, and ${rule}.`)
}

/** With `auto` there are as many processes as there is room for, but at least one. */
const crowdsEmbedded = ({ PROCESSES, DATABASE_CONNECTIONS }: Surroundings) =>
  (Number(PROCESSES) || 1) * Number(DATABASE_CONNECTIONS?.trim() || 20) > embeddedConnections

/** `auto` means as many as there are processors, as far as the embedded database has room for them. */
function processesOf({ PROCESSES, DATABASE_CONNECTIONS }: Environment, isEmbedded: boolean): number {
  if (PROCESSES !== 'auto') return PROCESSES
  const room = isEmbedded ? Math.floor(embeddedConnections / DATABASE_CONNECTIONS) : Number.POSITIVE_INFINITY
  return Math.max(1, Math.min(availableParallelism(), room))
}

function traceOf(read: Environment): TraceOptions | null {
  const url = read.OTEL_EXPORTER_OTLP_ENDPOINT
  if (url === undefined) return null
  return { url, headers: read.OTEL_EXPORTER_OTLP_HEADERS ?? {}, share: read.OTEL_TRACES_SAMPLER_ARG }
}

function configOf(read: Environment): Config {
  const isEmbedded = read.DATABASE_URL === undefined
  const isSimulated = (read.SIMULATOR ?? (isEmbedded ? 'on' : 'off')) === 'on'
  const allowedRanges = read.ALLOWED_RANGES ?? []
  const { SIMULATOR_PORT: http, SIMULATOR_SMTP_PORT: smtp, SIMULATOR_SMPP_PORT: smpp } = read
  return {
    port: read.PORT,
    host: read.HOST ?? (isEmbedded ? '127.0.0.1' : '0.0.0.0'),
    dataDir: resolve(read.DATA_DIR),
    databaseUrl: read.DATABASE_URL ?? null,
    databaseReadUrl: read.DATABASE_READ_URL ?? null,
    databaseConnections: read.DATABASE_CONNECTIONS,
    masterKeys: read.MASTER_KEY ?? null,
    adminToken: read.ADMIN_TOKEN ?? null,
    metricsToken: read.METRICS_TOKEN ?? null,
    publicUrl: read.PUBLIC_URL ?? new URL(`http://localhost:${read.PORT}`).origin,
    trustedProxies: read.TRUSTED_PROXIES ?? [],
    allowedRanges: allowedRanges.length > 0 || !isSimulated ? allowedRanges : loopback,
    ipSourcesFile: read.IP_SOURCES ?? null,
    role: read.ROLE,
    processes: processesOf(read, isEmbedded),
    drainSeconds: read.DRAIN_SECONDS ?? (isEmbedded ? 0 : defaultDrainSeconds),
    routingAccounts: read.ROUTING_ACCOUNTS,
    retentionDays: read.RETENTION_DAYS,
    logLevel: read.LOG_LEVEL,
    simulator: isSimulated ? { http, smtp, smpp } : null,
    bouncePort: read.BOUNCE_PORT ?? (isSimulated ? 0 : null),
    canaries: read.CANARY ?? [],
    canaryEverySeconds: read.CANARY_EVERY_S,
    trace: traceOf(read),
  }
}
