/** What each page of the dashboard reads, as operations with the filters that the page offers. */
import { type Operation, operations } from '@countersign/contract'

type Name = keyof typeof operations
const byName: Readonly<Record<string, Operation>> = operations

/** Values for paths and bodies: ids of existing things, and one person's number. */
export interface Things {
  readonly company_id: string
  readonly app_id: string
  readonly otp_id: string
  readonly event_id: string
  readonly endpoint_id: string
  readonly recipient: string
  /** The start of the last seven days, and of the seven days before. */
  readonly from: string
  readonly before: string
}

export interface Read {
  readonly page: string
  readonly name: Name
  readonly method: string
  readonly path: string
  /** What distinguishes it from other reads of the same operation. */
  readonly filter: string
  readonly body: unknown
}

type Filter = Readonly<Record<string, string | number>>
type Entry = Name | readonly [name: Name, ...filters: Filter[]]

const pagesOf = ({ from, before, recipient, endpoint_id }: Things): Readonly<Record<string, Entry[]>> => ({
  'Every page': ['getMe', 'getApp', 'getCompany', 'listApps', ['listVerifications', { limit: 1 }]],
  Overview: [
    'getAttention',
    [
      'getStats',
      { from, by: 'day' },
      { from, by: 'hour' },
      { from: before, to: from, by: 'day' },
      { from, by: 'channel' },
      { from, by: 'country' },
      { from, by: 'day', channel: 'sms' },
      { from, by: 'day', country: 'GB' },
    ],
    ['getWays', { from, by: 'channel_started' }, { from, by: 'provider' }, { from, by: 'error' }],
    ['getRefusalStats', { from, by: 'day' }],
  ],
  Verifications: [
    [
      'listVerifications',
      {},
      { status: 'failed' },
      { status: 'pending' },
      { channel: 'telegram' },
      { country: 'BR' },
      { problem: 'failed_delivery' },
      { problem: 'error' },
      { from: before, to: from },
    ],
    ['searchVerifications', { recipient }],
    ['listRefusals', {}, { rule: 'limits' }, { rule: 'spend' }, { country: 'BR' }],
  ],
  'One verification': ['getVerification'],
  'Find a person': [
    [
      'searchCompany',
      { recipient },
      { recipient, problem: 'failed_delivery' },
      { recipient, problem: 'refusal' },
    ],
    'listExceptions',
  ],
  Errors: [
    ['getErrorStats', { from }],
    ['listErrors', {}, { type: 'RateLimitExceededError' }, { status: 422 }],
    'listKeys',
  ],
  Events: [
    [
      'listEvents',
      {},
      { status: 'failed' },
      { status: 'held' },
      { type: 'otp.failed' },
      { endpoint_id },
      { min_attempts: 2 },
      { answer: '5xx' },
    ],
    'getEvent',
    'listWebhooks',
  ],
  Webhooks: ['listWebhooks', 'getEndpoint', 'countUnsentOfEndpoint'],
  Routing: [['previewSend', { recipient }], 'listProviders', ['getRoutes', { channel: 'sms' }]],
  Channels: ['listLocales', ['lintMessage', { channel: 'sms', locale: 'en' }]],
  Guard: [
    'listBlocks',
    ['getDebts', {}, { from }],
    'getGuessing',
    'getSpend',
    'listIpSources',
    'getRules',
    'listRuleRevisions',
    ['getRefusalStats', { from, by: 'hour' }],
    ['getHeldPeople', { from }],
  ],
  'API Keys': [['listKeys', { state: 'live' }], 'getWebhook', 'countUnsent'],
  Billing: ['getCompanySpend', 'listLedger', 'getPrices', ['getSpend', {}]],
  Team: ['listMembers'],
  'Audit trail': ['listAudit', 'listAllAudit'],
  Alerts: ['getAlerts', 'getOperatorAlerts'],
  'Company settings': ['getSignInRules'],
  'Operators’ home': ['getInstallation', 'listAllBlocks', 'listProviders'],
  Companies: ['listCompanies', ['listCompanies', { search: 'bench' }]],
  Operators: ['listOperators', 'listSignInLinks'],
  'Your account': ['listSessions', 'listPasskeys'],
})

export function readsOf(things: Things): Read[] {
  const reads = Object.entries(pagesOf(things)).flatMap(([page, entries]) =>
    entries.flatMap((entry) => {
      const [name, ...filters] = typeof entry === 'string' ? [entry] : entry
      return (filters.length > 0 ? filters : [{}]).map((filter) => readOf(page, name, filter, things))
    }),
  )
  assertWhole(reads)
  return reads
}

function readOf(page: string, name: Name, filter: Filter, things: Things): Read {
  const { method, path } = operations[name]
  const ids: Readonly<Record<string, string>> = { ...things }
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, id: string) => ids[id] ?? '')
  const isBody = method === 'POST'
  const search = new URLSearchParams()
  if (!isBody) for (const [key, value] of Object.entries(filter)) search.set(key, String(value))
  return {
    page,
    name,
    method,
    path: search.size > 0 ? `${filled}?${search}` : filled,
    filter: Object.keys(filter)
      .filter((key) => key !== 'from' && key !== 'recipient')
      .map((key) => `${key} ${key === 'endpoint_id' || key === 'to' ? '…' : filter[key]}`)
      .join(', '),
    body: isBody ? filter : undefined,
  }
}

/** Fails if an operation that reads is not timed, so that a new one is not forgotten. */
function assertWhole(reads: readonly Read[]): void {
  const timed = new Set<string>(reads.map(({ name }) => name))
  const left = Object.entries(byName)
    .filter(
      ([, { method, path, access }]) =>
        method === 'GET' && path.startsWith('/manage/v1') && access !== 'public',
    )
    .map(([name]) => name)
    .filter((name) => !timed.has(name))
  if (left.length > 0) throw new Error(`no page reads ${left.join(', ')}: put them into bench/pages/calls.ts`)
}
