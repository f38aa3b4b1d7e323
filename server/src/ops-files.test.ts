/**
 * Checks the dashboard and the alert rules against the metrics that the service has, and against the format that
 * Grafana and Prometheus expect.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { parse } from 'yaml'
import { z } from 'zod'
import { createMetrics } from './platform/metrics.ts'

const fileOf = (path: string) => readFileSync(new URL(`../../ops/${path}`, import.meta.url), 'utf8')

const account = { account: 'prv_1', channel: 'sms', provider: 'smpp' }

/** Every metric with its labels, after each metric was used once. */
async function readMetrics(): Promise<Map<string, ReadonlySet<string>>> {
  const metrics = createMetrics()
  metrics.watchIpSources(() => [{ name: 'a', ipClass: 'tor', problem: null, ageSeconds: 1 }])
  metrics.watchPartitions(() => 8)
  metrics.watchPools(() => [{ name: 'others', busy: 0, idle: 0, waiting: 0 }])
  metrics.watchReading(() => 1)
  metrics.watchDatabaseHosts(() => [{ host: 'db1:5432', state: 'primary' }])
  metrics.countDatabaseError('disk_full')
  metrics.observeRequest('GET', '/healthz', 200, 0.1)
  metrics.countAttempt('sms', 'smpp', 'accepted')
  metrics.countWebhookAttempt('taken')
  metrics.countRefusal('send', 'geo')
  metrics.countAccountMessages(account, 'sent', 1)
  metrics.setAccountsUp([[account, 1]])
  metrics.countSend('send', 'sms', 'GB')
  metrics.countApproval('sms', 'GB')
  metrics.observeAccept(account, 1)
  metrics.observeReceipt(account, 1)
  metrics.countUncertain('sms')
  metrics.observeBatch('send', 1, 1)
  metrics.setCanaries([
    { account: 'prv_1', isOk: true, isRun: true, steps: [{ name: 'send', ms: 1 }], atMs: 0 },
  ])
  const found = new Map<string, ReadonlySet<string>>([['up', new Set(['job', 'instance'])]])
  for (const { name, type, values } of await metrics.list()) {
    const labels = new Set(values.flatMap(({ labels }) => Object.keys(labels ?? {})))
    const ends = String(type) === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']
    // Prometheus adds the labels of the scrape.
    for (const end of ends) found.set(`${name}${end}`, new Set([...labels, 'instance', 'job']))
  }
  return found
}

interface Asked {
  readonly metrics: readonly { readonly name: string; readonly labels: readonly string[] }[]
  /** The labels that it is grouped by. */
  readonly groups: readonly string[]
}

const words = new Set(['and', 'or', 'unless', 'bool', 'offset'])

/** The metrics and labels that a Prometheus expression uses. */
function askedIn(expression: string): Asked {
  const groups: string[] = []
  const plain = expression
    .replaceAll(/"(?:[^"\\]|\\.)*"/g, '""')
    .replaceAll(/\[[^\]]*\]/g, '')
    .replaceAll(
      /\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g,
      (_all, list: string) => {
        groups.push(...list.split(',').map((label) => label.trim()))
        return ''
      },
    )
  // Braces are matched together with their metric, so that no label inside them is taken for a metric.
  const names = plain.matchAll(/\b([a-zA-Z_]\w*)\s*(\{[^}]*\}|\()?/g)
  const metrics = [...names].flatMap(([, name = '', rest = '']) =>
    rest === '(' || words.has(name)
      ? []
      : [{ name, labels: [...rest.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label) }],
  )
  return { metrics, groups }
}

/** The problems of an expression; empty if there are none. */
function problemsOf(expression: string, known: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const { metrics, groups } = askedIn(expression)
  const labels = new Set(metrics.flatMap(({ name }) => [...(known.get(name) ?? [])]))
  const depth = [...expression].reduce((sum, sign) => sum + (sign === '(' ? 1 : sign === ')' ? -1 : 0), 0)
  return [
    ...(metrics.length === 0 ? ['asks for no metric'] : []),
    ...(depth === 0 ? [] : ['has a bracket too many or too few']),
    ...metrics.filter(({ name }) => !known.has(name)).map(({ name }) => `there is no metric ${name}`),
    ...metrics.flatMap(({ name, labels: asked }) =>
      asked.filter((label) => !known.get(name)?.has(label)).map((label) => `${name} has no label ${label}`),
    ),
    ...groups.filter((label) => !labels.has(label)).map((label) => `nothing in it has the label ${label}`),
  ]
}

const metrics = await readMetrics()

describe('the checker of expressions', () => {
  for (const [expression, problem] of [
    ['max(countersign_no_such_thing)', 'there is no metric countersign_no_such_thing'],
    ['countersign_sends_total{app="x"}', 'countersign_sends_total has no label app'],
    ['sum by (company) (rate(countersign_sends_total[5m]))', 'nothing in it has the label company'],
    ['countersign_batch_seconds', 'there is no metric countersign_batch_seconds'],
    ['max(countersign_events_held', 'has a bracket too many or too few'],
    ['vector(1)', 'asks for no metric'],
  ] as const) {
    it(`sees that ${problem}`, () => assert.deepEqual(problemsOf(expression, metrics), [problem]))
  }
})

const duration = z.string().regex(/^(\d+(ms|s|m|h|d|w|y))+$/)
const rules = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: z.string().min(1),
      interval: duration.optional(),
      rules: z.array(
        z.strictObject({
          alert: z.string().regex(/^Countersign[A-Z]\w+$/),
          expr: z.string().min(1),
          for: duration.optional(),
          labels: z.strictObject({ severity: z.enum(['critical', 'warning']) }),
          annotations: z.strictObject({ summary: z.string().min(1), description: z.string().min(1) }),
        }),
      ),
    }),
  ),
})

describe('the alert rules', () => {
  const { groups } = rules.parse(parse(fileOf('prometheus/alerts.yaml')))
  const all = groups.flatMap((group) => group.rules)

  it('have the form that Prometheus reads, and names of their own', () => {
    assert.ok(all.length > 15)
    assert.equal(new Set(all.map(({ alert }) => alert)).size, all.length)
    assert.equal(new Set(groups.map(({ name }) => name)).size, groups.length)
  })

  it('name the process, where one of several is unwell', () => {
    for (const name of ['OutcomesUnwritten', 'ConnectionsShort', 'ProcessBusy']) {
      const rule = all.find(({ alert }) => alert === `Countersign${name}`)
      assert.ok(askedIn(rule?.expr ?? '').groups.includes('instance'), name)
      assert.match(rule?.annotations.summary ?? '', /\$labels\.instance/, name)
    }
  })

  for (const { alert, expr, annotations } of all) {
    it(`ask for what there is: ${alert}`, () => {
      assert.deepEqual(problemsOf(expr, metrics), [])
      const { groups: grouped, metrics: asked } = askedIn(expr)
      const has = new Set([...grouped, ...asked.flatMap(({ name }) => [...(metrics.get(name) ?? [])])])
      for (const [, label = ''] of `${annotations.summary} ${annotations.description}`.matchAll(
        /\$labels\.(\w+)/g,
      ))
        assert.ok(has.has(label), `its words name the label ${label}`)
    })
  }
})

const place = z.object({ x: z.int(), y: z.int(), w: z.int().min(1).max(24), h: z.int().min(1) })
const dashboard = z.object({
  title: z.string(),
  uid: z.string(),
  schemaVersion: z.int(),
  templating: z.object({ list: z.array(z.object({ name: z.string(), definition: z.string().optional() })) }),
  panels: z.array(
    z.object({
      id: z.int(),
      type: z.enum(['row', 'stat', 'timeseries']),
      title: z.string().min(1),
      gridPos: place,
      targets: z.array(z.object({ refId: z.string(), expr: z.string().min(1) })).optional(),
    }),
  ),
})

describe('the dashboard for Grafana', () => {
  const { panels, templating } = dashboard.parse(JSON.parse(fileOf('grafana/countersign.json')))

  it('has panels with ids of their own, none over another', () => {
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)} ${y + Math.floor(index / w)}`),
    )
    assert.equal(new Set(cells).size, cells.length)
  })

  it('shows every metric of the service', () => {
    const asked = panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => askedIn(expr).metrics))
    const shown = new Set(asked.map(({ name }) => name.replace(/_(?:bucket|sum|count)$/, '')))
    const own = [...metrics.keys()].filter((name) => name.startsWith('countersign_'))
    assert.deepEqual(
      own.filter((name) => !shown.has(name.replace(/_(?:bucket|sum|count)$/, ''))),
      [],
    )
  })

  it('asks for what there is, with variables that it has', () => {
    const known = new Set([...templating.list.map(({ name }) => name), '__rate_interval'])
    for (const { title, targets = [] } of panels)
      for (const { expr } of targets) {
        assert.deepEqual(problemsOf(expr, metrics), [], title)
        for (const [, name = ''] of expr.matchAll(/\$(\w+)/g))
          assert.ok(known.has(name), `${title}: $${name}`)
      }
    for (const { definition } of templating.list) {
      const [, metric = '', label = ''] = /^label_values\((\w+), (\w+)\)$/.exec(definition ?? '') ?? []
      if (definition) assert.ok(metrics.get(metric)?.has(label), definition)
    }
  })

  it('shows every metric of ours', () => {
    const shown = panels.flatMap(({ targets = [] }) =>
      targets.flatMap(({ expr }) => askedIn(expr).metrics.map(({ name }) => name)),
    )
    const own = [...metrics.keys()].filter((name) => name.startsWith('countersign_'))
    const base = (name: string) => name.replace(/_(bucket|sum|count)$/, '')
    const missing = new Set(own.map(base).filter((name) => !shown.some((one) => base(one) === name)))
    // Only an alert uses the time of the last canary.
    missing.delete('countersign_canary_last_seconds')
    assert.deepEqual([...missing], [])
  })
})
