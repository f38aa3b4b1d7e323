/** Every variable that the service reads: its form and its default. */
import { z } from 'zod'
import { type DatabaseHosts, parseDatabaseUrl } from '../platform/database/hosts.ts'
import { parameterProblemOf } from '../platform/database/parameters.ts'
import { isToken, masterKeyRule, parseMasterKey, tokenRule } from '../platform/secret-rules.ts'
import { parseCidr } from '../platform/trusted-proxies.ts'

const quoted = /^(["']).*\1$/s

/** A blank value counts as not set. Quotes are refused: a shell removes them, but other tools pass them on. */
const given = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((raw, context) => {
    const value = typeof raw === 'string' ? raw.trim() || undefined : raw
    if (typeof value !== 'string' || !quoted.test(value)) return value
    context.issues.push({ code: 'custom', message: quotesKept, input: raw })
    return z.NEVER
  }, schema)

const quotesKept =
  ' has quotes around its value, which a shell removes and "docker run --env-file" does not. Leave them out.'

/** `read` returns the value or, if it is wrong, the problems, as text that follows the variable's name. */
const text = <Value>(read: (raw: string) => Value | { readonly problems: readonly string[] }) =>
  z.string().transform((raw, context): Value => {
    const value = read(raw)
    if (typeof value !== 'object' || value === null || !('problems' in value)) return value
    for (const message of value.problems) context.issues.push({ code: 'custom', message, input: raw })
    return z.NEVER
  })

/** `or` is a word that may be given instead of a number. */
const whole = <Or extends string = never>(lowest: number, highest: number, or?: Or) =>
  text<number | Or>((raw) => {
    if (or !== undefined && raw === or) return or
    const value = Number(raw)
    if (/^\d+$/.test(raw) && value >= lowest && value <= highest) return value
    const orWord = or === undefined ? '' : ` or ${or}`
    return { problems: [` must be a whole number from ${lowest} to ${highest}${orWord}, not "${raw}".`] }
  })

const port = whole(0, 65_535)

const choice = <const Values extends readonly string[]>(...values: Values) =>
  z.enum(values, { error: ({ input }) => ` must be one of ${values.join(', ')}, not "${input}".` })

/** Text that may be secret, so an error never quotes the value. */
const secret = (isGood: (raw: string) => boolean, problem: string) =>
  text<string>((raw) => (isGood(raw) ? raw : { problems: [problem] }))

const folder = text<string>((raw) =>
  raw === '~' || raw.startsWith('~/')
    ? {
        problems: [
          ' begins with ~, which only a shell replaces, where it is not quoted. Write the whole path.',
        ],
      }
    : raw,
)

const networks = text<readonly string[]>((raw) => {
  const entries = raw
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean)
  const wrong = entries.filter((entry) => !parseCidr(entry))
  if (wrong.length === 0) return entries
  return {
    problems: wrong.map((entry) => `: "${entry}" is neither an address nor a CIDR such as 10.0.0.0/8.`),
  }
})

const masterKeys = text<readonly Buffer[]>((raw) => {
  const keys = raw.split(',').map(parseMasterKey)
  return keys.every((key) => key !== null)
    ? keys
    : { problems: [` ${masterKeyRule}; after a change "new,old".`] }
})

const token = secret(isToken, ` ${tokenRule}.`)
/** It gives access only to metrics, so the operator may choose its length. */
const metricsToken = secret(
  (raw) => /^[!-~]+$/.test(raw),
  ' must be letters, digits and signs of ASCII without spaces.',
)

/** A hint at the most common mistakes. */
function moreOf(raw: string): string {
  // An unescaped /, ? or # ends the part before the host too early: the output of `openssl rand -base64` often has a
  // slash.
  if (/^\w+:\/\/[^@/?#]*[/?#].*@/.test(raw))
    return ' In user and password write / as %2F, ? as %3F and # as %23.'
  if (raw.split('?').length > 2 || raw.includes('#'))
    return ' Parameters follow one ?, with & between them; within a value write ? as %3F and # as %23.'
  if (raw.includes('target_session_attrs=')) return ' target_session_attrs is read-write, primary or any.'
  return ''
}

/** An error quotes at most the part that is wrong, and never the password. */
const databaseUrl = (isGood: (hosts: DatabaseHosts) => boolean, problem: string) =>
  text<string>((raw) => {
    const hosts = parseDatabaseUrl(raw)
    if (!hosts || !isGood(hosts)) return { problems: [`${problem}${moreOf(raw)}`] }
    const parameterProblem = parameterProblemOf(raw)
    return parameterProblem === null ? raw : { problems: [parameterProblem] }
  })

const publicUrl = text<string>((raw) => {
  const url = URL.canParse(raw) ? new URL(raw) : null
  const isPlain = url && /^https?:$/.test(url.protocol) && !url.search && !url.hash
  // It is shown in links, so it must not contain a password.
  if (isPlain && !url.username && !url.password) return url.href.replace(/\/$/, '')
  return {
    problems: [
      ' must be an address such as https://otp.example.com, without user, password, query and fragment.',
    ],
  }
})

/**
 * OpenTelemetry's format: in a value, a space or a comma is written as %20 or %2C. An error quotes nothing, since the
 * value may contain a collector's key.
 */
const headers = text<Readonly<Record<string, string>>>((raw) => {
  const entries = raw.split(',').map((entry) => entry.split('='))
  if (entries.every(([name = '', ...value]) => /^[\w-]+$/.test(name.trim()) && value.length > 0))
    return Object.fromEntries(
      entries.map(([name = '', ...value]) => [name.trim(), percentDecoded(value.join('=').trim())]),
    )
  return { problems: [' must be name=value, several of them with commas between.'] }
})

/** A key may contain a percent sign that encodes nothing. */
function percentDecoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

const share = text<number>((raw) => {
  const value = Number(raw)
  return value >= 0 && value <= 1 ? value : { problems: [` must be a number from 0 to 1, not "${raw}".`] }
})

export interface CanaryPlan {
  readonly appId: string
  readonly account: string
  readonly recipient: string
}
const mostCanaries = 10

/** An error quotes no recipient. */
const canaries = text<readonly CanaryPlan[]>((raw) => {
  const plans = raw.split(',').map((entry) => {
    const [appId = '', account = '', recipient = ''] = entry.split('/').map((part) => part.trim())
    return { appId, account, recipient }
  })
  const isGood = ({ appId, account, recipient }: CanaryPlan) =>
    /^app_\w+$/.test(appId) && /^[\w-]+$/.test(account) && /^(\+\d{7,15}|[^\s@]+@[^\s@]+)$/.test(recipient)
  const isUnique = new Set(plans.map(({ account }) => account)).size === plans.length
  if (plans.every(isGood) && isUnique && plans.length <= mostCanaries) return plans
  return {
    problems: [
      ` must be app_…/prv_…/+447400123456, or with an email address, up to ${mostCanaries} of them with commas between, each with an account of its own.`,
    ],
  }
})

/**
 * `.default` is the value of a variable that is not set. With `.optional` that value depends on other variables, or
 * there is none.
 */
export const environment = z.object({
  PORT: given(port.default(3000)),
  HOST: given(z.string().optional()),
  DATA_DIR: given(folder.default('.data')),
  DATABASE_URL: given(
    databaseUrl(
      ({ isForReading }) => !isForReading,
      ' must look like postgresql://user:password@host:5432/name, or host1:5432,host2:5432 for several of which one takes writes.',
    ).optional(),
  ),
  DATABASE_READ_URL: given(
    databaseUrl(
      ({ urls }) => urls.length === 1,
      ' must look like postgresql://user:password@host:5432/name, with one host.',
    ).optional(),
  ),
  DATABASE_CONNECTIONS: given(whole(4, 500).default(20)),
  MASTER_KEY: given(masterKeys.optional()),
  ADMIN_TOKEN: given(token.optional()),
  METRICS_TOKEN: given(metricsToken.optional()),
  PUBLIC_URL: given(publicUrl.optional()),
  TRUSTED_PROXIES: given(networks.optional()),
  ALLOWED_RANGES: given(networks.optional()),
  IP_SOURCES: given(z.string().optional()),
  ROLE: given(choice('api', 'worker', 'all').default('all')),
  PROCESSES: given(whole(1, 64, 'auto').default(1)),
  DRAIN_SECONDS: given(whole(0, 300).optional()),
  ROUTING_ACCOUNTS: given(choice('priority', 'learned').default('priority')),
  // Events of a paused endpoint are kept for a week, so no day may be dropped before that.
  RETENTION_DAYS: given(whole(8, 3_650).default(30)),
  LOG_LEVEL: given(choice('debug', 'info', 'warn', 'error', 'silent').default('info')),
  SIMULATOR: given(choice('on', 'off').optional()),
  SIMULATOR_PORT: given(port.default(3001)),
  SIMULATOR_SMTP_PORT: given(port.default(3025)),
  SIMULATOR_SMPP_PORT: given(port.default(3775)),
  BOUNCE_PORT: given(port.optional()),
  CANARY: given(canaries.optional()),
  CANARY_EVERY_S: given(whole(60, 86_400).default(900)),
  OTEL_EXPORTER_OTLP_ENDPOINT: given(
    secret(
      (raw) => URL.canParse(raw) && /^https?:/.test(raw),
      ' must be an address such as http://localhost:4318.',
    ).optional(),
  ),
  OTEL_EXPORTER_OTLP_HEADERS: given(headers.optional()),
  OTEL_TRACES_SAMPLER_ARG: given(share.default(1)),
  COUNTERSIGN_KEY: given(z.string().optional()),
  COUNTERSIGN_URL: given(publicUrl.optional()),
})

export type Environment = z.output<typeof environment>
