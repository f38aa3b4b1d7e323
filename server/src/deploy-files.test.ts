/** The files for deployment, checked by their form: there is no Docker and no cluster in a test. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { parse, parseAllDocuments } from 'yaml'
import { z } from 'zod'
import { commandsWith } from './cli/commands.ts'
import { environment } from './config/environment.ts'
import { defaultDrainSeconds } from './config.ts'
import { keptMs } from './http/idle.ts'
import { stopSeconds } from './platform/stop-signals.ts'

const root = new URL('../../', import.meta.url)
const fileOf = (path: string) => readFileSync(new URL(path, root), 'utf8')
const variables = new Set(Object.keys(environment.shape))
/** Values with a `$` come from outside and are not known here; all others must be valid. */
const takes = (name: string, value: string) =>
  value.includes('$') || environment.safeParse({ [name]: value }).success
const isPinned = (image: string) => /:[\w.-]*\d[\w.-]*$/.test(image)

/** The service ends by itself within this time, so nobody who stops it may kill it earlier. */
const longestStopSeconds = stopSeconds + defaultDrainSeconds

describe('the Dockerfile', () => {
  const text = fileOf('Dockerfile')
  const last = text.slice(text.lastIndexOf('\nFROM '))

  it('installs by every manifest of the house, or the lock file would not fit', () => {
    const { workspaces } = z
      .object({ workspaces: z.array(z.string()) })
      .parse(JSON.parse(fileOf('package.json')))
    for (const folder of workspaces)
      assert.ok(text.includes(`COPY ${folder}/package.json ${folder}/`), folder)
  })

  it('copies only what is there', () => {
    const sources = [...text.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, list = '']) =>
      list.split(' '),
    )
    for (const source of sources) assert.ok(existsSync(new URL(source, root)), source)
  })

  it('ships no source maps: what is copied from the build has none left', () => {
    const [, cleared = ''] =
      /^RUN node scripts\/build\.mjs && find (.*) -name '\*\.map' -delete$/m.exec(text) ?? []
    const copied = [...last.matchAll(/^COPY --from=build \/app\/(\S+\/dist) /gm)].map(([, folder]) => folder)
    assert.deepEqual(cleared.split(' ').sort(), copied.sort())
  })

  it('runs as somebody who is not root, says how it is, and takes signals itself', () => {
    assert.match(last, /^USER [1-9]\d*:[1-9]\d*$/m)
    assert.match(last, /^HEALTHCHECK (.|\\\n)*\/readyz/m)
    assert.match(last, /^ENTRYPOINT \["node", "--max-semi-space-size=\d+", "server\/dist\/cli\.js"\]$/m)
    assert.ok([...text.matchAll(/^FROM (\S+)/gm)].every(([, image = '']) => isPinned(image)))
    for (const [, name = ''] of last.matchAll(/^(?:ENV)? +([A-Z_]+)=/gm))
      if (name !== 'NODE_ENV') assert.ok(variables.has(name), name)
  })
})

const service = z.object({
  image: z.string().optional(),
  build: z.string().optional(),
  environment: z.record(z.string(), z.string()).optional(),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).optional(),
  volumes: z.array(z.string()).optional(),
  networks: z.array(z.string()),
  read_only: z.boolean().optional(),
  cap_drop: z.array(z.string()).optional(),
  ports: z.array(z.string()).optional(),
  stop_grace_period: z.string().optional(),
})

describe('compose.yaml', () => {
  const compose = z
    .object({
      services: z.record(z.string(), service),
      networks: z.record(z.string(), z.unknown()),
      volumes: z.record(z.string(), z.null()),
    })
    .parse(parse(fileOf('compose.yaml')))
  const { countersign, proxy, database } = compose.services

  it('names only what it has: services, networks, volumes, files', () => {
    for (const each of Object.values(compose.services)) {
      assert.ok(each.build ?? isPinned(each.image ?? ''), each.image)
      for (const name of Object.keys(each.depends_on ?? {})) assert.ok(name in compose.services, name)
      for (const name of each.networks) assert.ok(name in compose.networks, name)
      for (const [source = ''] of (each.volumes ?? []).map((volume) => volume.split(':')))
        assert.ok(
          source.startsWith('./') ? existsSync(new URL(source, root)) : source in compose.volumes,
          source,
        )
    }
  })

  it('gives the service its time to stop', () => {
    assert.ok(Number.parseInt(countersign?.stop_grace_period ?? '', 10) > longestStopSeconds)
  })

  it('gives the service variables that it reads, a root that it cannot write, and no port but the proxy’s', () => {
    for (const [name, value] of Object.entries(countersign?.environment ?? {}))
      assert.ok(variables.has(name) && takes(name, value), name)
    assert.deepEqual(
      [countersign?.read_only, countersign?.cap_drop, countersign?.ports],
      [true, ['ALL'], undefined],
    )
    assert.deepEqual([database?.ports, proxy?.ports?.slice(0, 2)], [undefined, ['80:80', '443:443']])
    assert.match(fileOf('deploy/Caddyfile'), /reverse_proxy countersign:3000/)
  })

  it('let the proxy keep an idle connection for less time than the service says that it may', () => {
    const [, seconds] = /keepalive (\d+)s/.exec(fileOf('deploy/Caddyfile')) ?? []
    assert.ok(Number(seconds) * 1_000 < keptMs, `${seconds} seconds`)
  })
})

const labels = z.record(z.string(), z.string())
const container = z.object({
  image: z.string(),
  args: z.array(z.string()).optional(),
  env: z.array(z.object({ name: z.string(), value: z.string() })).optional(),
  envFrom: z.array(z.unknown()).length(2),
  livenessProbe: z.object({ httpGet: z.object({ path: z.literal('/healthz') }) }).optional(),
  readinessProbe: z.object({ httpGet: z.object({ path: z.literal('/readyz') }) }).optional(),
  securityContext: z.object({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
    capabilities: z.object({ drop: z.tuple([z.literal('ALL')]) }),
  }),
  volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })),
  lifecycle: z
    .object({ preStop: z.object({ exec: z.object({ command: z.tuple([z.literal('sleep'), z.string()]) }) }) })
    .optional(),
})
const pod = z.object({
  metadata: z.object({ labels }),
  spec: z.object({
    securityContext: z.object({ runAsNonRoot: z.literal(true) }),
    terminationGracePeriodSeconds: z.number().optional(),
    containers: z.tuple([container]),
    volumes: z.array(z.object({ name: z.string() })),
  }),
})
const ingress = z.object({
  rules: z.array(
    z.object({ http: z.object({ paths: z.array(z.object({ path: z.string(), pathType: z.string() })) }) }),
  ),
})
const thing = z.object({ apiVersion: z.string(), kind: z.string(), metadata: z.object({ name: z.string() }) })
const selected = z.object({ spec: z.object({ selector: z.object({ matchLabels: labels }) }) })

describe('the files for Kubernetes', () => {
  const folder = new URL('deploy/kubernetes/', root)
  const names = readdirSync(folder).filter((name) => name !== 'kustomization.yaml')
  const all: unknown[] = names.flatMap((name) =>
    parseAllDocuments(readFileSync(new URL(name, folder), 'utf8')).map((document): unknown =>
      document.toJS(),
    ),
  )
  const of = <Shape extends z.ZodType>(kind: string, shape: Shape): z.output<Shape>[] =>
    all.filter((one) => thing.parse(one).kind === kind).map((one) => shape.parse(one))
  const pods = [
    ...of('Deployment', z.object({ spec: z.object({ template: pod }) })),
    ...of('Job', z.object({ spec: z.object({ template: pod }) })),
  ].map(({ spec }) => spec.template)
  const isOf = (wanted: Record<string, string>, has: Record<string, string>) =>
    Object.entries(wanted).every(([name, value]) => has[name] === value)

  it('are all in the kustomization, each kind under the name of its API', () => {
    const listed = z
      .object({ resources: z.array(z.string()) })
      .parse(parse(readFileSync(new URL('kustomization.yaml', folder), 'utf8')))
    assert.deepEqual(listed.resources.toSorted(), names.toSorted())
    const apis = new Map(all.map((one) => [thing.parse(one).kind, thing.parse(one).apiVersion]))
    assert.deepEqual(Object.fromEntries(apis), {
      Namespace: 'v1',
      ConfigMap: 'v1',
      Service: 'v1',
      Job: 'batch/v1',
      Deployment: 'apps/v1',
      PodDisruptionBudget: 'policy/v1',
      Ingress: 'networking.k8s.io/v1',
    })
  })

  it('have pods that are not root, cannot write their root, and read variables that there are', () => {
    assert.equal(pods.length, 3)
    const settings = of('ConfigMap', z.object({ data: z.record(z.string(), z.string()) }))
    const given = [
      ...settings.flatMap(({ data }) => Object.entries(data)),
      ...pods.flatMap(({ spec }) =>
        (spec.containers[0].env ?? []).map(({ name, value }) => [name, value] as const),
      ),
    ]
    for (const [name, value] of given) assert.ok(variables.has(name) && takes(name, value), name)
    for (const { spec } of pods)
      for (const { name } of spec.containers[0].volumeMounts)
        assert.ok(
          spec.volumes.some((volume) => volume.name === name),
          name,
        )
  })

  it('select what they mean: deployments, their budgets and the service', () => {
    const deployed = of(
      'Deployment',
      selected.extend({ spec: selected.shape.spec.extend({ template: pod }) }),
    )
    for (const { spec } of deployed) {
      assert.deepEqual(spec.selector.matchLabels, spec.template.metadata.labels)
      assert.ok(spec.template.spec.containers[0].livenessProbe)
      assert.ok(spec.template.spec.containers[0].readinessProbe)
    }
    for (const { spec } of of('PodDisruptionBudget', selected))
      assert.equal(
        deployed.filter((one) => isOf(spec.selector.matchLabels, one.spec.template.metadata.labels)).length,
        1,
      )
    for (const { spec } of of('Service', z.object({ spec: z.object({ selector: labels }) })))
      assert.equal(pods.filter((one) => isOf(spec.selector, one.metadata.labels)).length, 1)
  })

  it('give deployments their time to stop, beside the pause before', () => {
    const deployed = of('Deployment', z.object({ spec: z.object({ template: pod }) }))
    for (const { spec } of deployed) {
      const { terminationGracePeriodSeconds = 0, containers } = spec.template.spec
      const pauseSeconds = Number(containers[0].lifecycle?.preStop.exec.command[1] ?? 0)
      assert.ok(terminationGracePeriodSeconds > pauseSeconds + longestStopSeconds)
    }
  })

  it('let through from outside what docs/operations.md says, and the documents that the dashboard leads to', () => {
    const [, step = '', inside = ''] =
      /^4\. Let only([\s\S]*?)\n {3}- not (.*)$/m.exec(fileOf('docs/operations.md')) ?? []
    const pathsIn = (text: string) => [...text.matchAll(/`(\/[\w./-]+)`/g)].map(([, path = '']) => path)
    const [{ spec } = { spec: undefined }] = of('Ingress', z.object({ spec: ingress }))
    const paths = spec?.rules.flatMap(({ http }) => http.paths) ?? []
    const passed = paths.filter(({ pathType }) => pathType === 'Prefix').map(({ path }) => path)
    assert.deepEqual(
      paths.filter(({ pathType }) => pathType !== 'Prefix'),
      [{ path: '/', pathType: 'Exact' }],
    )
    assert.deepEqual(passed.toSorted(), [...pathsIn(step), '/docs'].toSorted())
    const kept = pathsIn(inside).filter((path) => path !== '/docs')
    assert.equal(kept.length, 3)
    assert.deepEqual(
      kept.filter((path) => passed.some((each) => path.startsWith(each))),
      [],
    )
  })

  it('migrate by a command that there is', () => {
    const [job] = of('Job', z.object({ spec: z.object({ template: pod }) }))
    const [command = ''] = job?.spec.template.spec.containers[0].args ?? []
    assert.ok(command in commandsWith(''))
  })
})

it('the unit for systemd has its three parts, and gives the service its time to stop', () => {
  const text = fileOf('deploy/countersign.service')
  const sections = [...text.matchAll(/^\[(\w+)\]$/gm)].map(([, name = '']) => name)
  assert.deepEqual(sections, ['Unit', 'Service', 'Install'])
  const lines = text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#') && !line.startsWith('['))
  for (const line of lines) assert.match(line, /^[A-Z]\w+=.*$/)
  const given = Number(/^TimeoutStopSec=(\d+)$/m.exec(text)?.[1])
  assert.ok(given > longestStopSeconds, `${given} s`)
  assert.match(text, /^DynamicUser=yes$/m)
  for (const [, name = ''] of text.matchAll(/^Environment=([A-Z_]+)=/gm))
    if (name !== 'NODE_ENV') assert.ok(variables.has(name), name)
})
