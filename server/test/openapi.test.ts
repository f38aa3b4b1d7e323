/** The description of the API: complete, public, and made of valid schemas. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { errorCatalogue, type OperationName, operations } from '@countersign/contract'
import { providerKinds } from '../src/channels/index.ts'
import { createTenant } from './harness/fixtures.ts'
import { startService } from './harness/service.ts'

type Json = Record<string, unknown>
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Every object inside a value, with its path. */
function* objectsIn(value: unknown, path = '#'): Generator<[path: string, object: Json]> {
  if (isObject(value)) yield [path, value]
  if (typeof value !== 'object' || value === null) return
  for (const [key, member] of Object.entries(value)) yield* objectsIn(member, `${path}/${key}`)
}

function resolve(document: Json, reference: string): unknown {
  assert.ok(reference.startsWith('#/'), reference)
  let current: unknown = document
  for (const part of reference.slice(2).split('/')) {
    current = isObject(current) ? current[part.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined
  }
  return current
}

/** A schema, or the one that is referred to. */
// biome-ignore lint/suspicious/noExplicitAny: a document is read along paths that the test asserts
const shown = (schema: any): any => (schema.$ref ? resolve(document, schema.$ref) : schema)

const bodyOf = (path: string, method: string) =>
  shown(document.paths[path][method].requestBody.content['application/json'].schema)

const entries = Object.entries(operations) as [OperationName, (typeof operations)[OperationName]][]

const { node, close } = await startService({ kinds: new Map(Object.entries(providerKinds)) })
after(close)
const tenant = await createTenant(node)
// biome-ignore lint/suspicious/noExplicitAny: a document is read along paths that the test asserts
const document: any = (await node.call('GET', '/api/v1/openapi.json')).body

describe('the OpenAPI document', () => {
  describe('as a document', () => {
    it('is public JSON that pages of any origin may read', async () => {
      const answer = await node.call('GET', '/api/v1/openapi.json', {
        headers: { origin: 'https://tools.example.com' },
      })
      assert.equal(answer.status, 200)
      assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
      assert.equal(answer.headers.get('access-control-allow-origin'), '*')
      const withWrongKey = await node.call('GET', '/api/v1/openapi.json', { key: 'nonsense' })
      assert.equal(withWrongKey.status, 200)
    })

    it('says that it is OpenAPI 3.1, and what it describes', () => {
      assert.match(document.openapi, /^3\.1\.\d+$/)
      assert.equal(document.info.title, 'Countersign')
      assert.ok(document.info.version)
      assert.ok(document.servers.length > 0)
      const allowed = new Set([
        'openapi',
        'info',
        'servers',
        'paths',
        'components',
        'tags',
        'security',
        'webhooks',
        'externalDocs',
        'jsonSchemaDialect',
      ])
      for (const key of Object.keys(document)) assert.ok(allowed.has(key), key)
    })

    it('has every operation of the table, once, under its method', () => {
      const found = new Set<string>()
      for (const [path, item] of Object.entries<Json>(document.paths)) {
        assert.ok(path.startsWith('/'))
        for (const [method, operation] of Object.entries(item)) {
          if (!['get', 'post', 'put', 'patch', 'delete'].includes(method)) continue
          const id = (operation as Json).operationId as string
          assert.ok(!found.has(id), id)
          found.add(id)
        }
      }
      for (const [name, { method, path }] of entries) {
        const described = document.paths[path]?.[method.toLowerCase()]
        assert.equal(described?.operationId, name)
        assert.ok(described.summary.length > 0)
        assert.equal(described.tags.length, 1)
      }
    })

    it('has every reference resolved, and none that leads outside', () => {
      let count = 0
      for (const [path, object] of objectsIn(document)) {
        if (typeof object.$ref !== 'string') continue
        count++
        assert.ok(isObject(resolve(document, object.$ref)), `${path}: ${object.$ref}`)
      }
      assert.ok(count > 10)
    })

    it('names for every operation the security schemes that open it', () => {
      const schemes: Json = document.components.securitySchemes
      assert.deepEqual(Object.keys(schemes).sort(), ['key', 'operator', 'serverKey', 'session'])
      const people = ['session', 'operator']
      const expected = {
        public: [],
        key: ['key'],
        server_key: ['serverKey'],
        session: ['session'],
        signed_in: people,
        viewer: people,
        developer: people,
        owner: people,
        operator: people,
      }
      for (const [name, { path, method, access }] of entries) {
        const { security } = document.paths[path][method.toLowerCase()]
        assert.deepEqual(
          security.flatMap((scheme: object) => Object.keys(scheme)),
          expected[access],
          name,
        )
      }
    })

    it('describes every parameter of every path, and no other', () => {
      for (const [, { path, method }] of entries) {
        const described = document.paths[path][method.toLowerCase()]
        const inPath = (described.parameters ?? []).filter((parameter: Json) => parameter.in === 'path')
        const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
        assert.deepEqual(
          inPath.map((parameter: Json) => parameter.name),
          names,
        )
        for (const parameter of described.parameters ?? []) {
          assert.ok(['path', 'query', 'header'].includes(parameter.in))
          assert.ok(isObject(parameter.schema))
          if (parameter.in === 'path') assert.equal(parameter.required, true)
        }
      }
    })

    it('describes the idempotency key of send and of what is made once, and of nothing else', () => {
      for (const [name, operation] of entries) {
        const { parameters = [] } = document.paths[operation.path][operation.method.toLowerCase()]
        const headers = parameters.filter((parameter: Json) => parameter.in === 'header')
        assert.deepEqual(
          headers.map((parameter: Json) => parameter.name),
          name === 'send' || 'isOnce' in operation ? ['idempotency-key'] : [],
          name,
        )
      }
    })

    it('describes a body where one is taken, which takes no unknown field', () => {
      for (const [name, operation] of entries) {
        const { requestBody } = document.paths[operation.path][operation.method.toLowerCase()]
        assert.equal(requestBody !== undefined, 'body' in operation, name)
        if (!requestBody) continue
        assert.equal(requestBody.required, true)
        const schema = shown(requestBody.content['application/json'].schema)
        const members: Json[] = schema.anyOf ?? schema.oneOf ?? [schema]
        for (const reference of members) {
          const member = shown(reference)
          assert.equal(member.type, 'object', name)
          assert.equal(member.additionalProperties, false, name)
        }
      }
    })

    it('describes the good answer with its status, its schema and its request id', () => {
      for (const [, operation] of entries) {
        const { responses } = document.paths[operation.path][operation.method.toLowerCase()]
        const good = Object.keys(responses).filter((code) => Number(code) < 400)
        assert.deepEqual(good, [String('status' in operation ? operation.status : 200)])
        const response = responses[good[0] ?? '']
        assert.ok(isObject(response.content['application/json'].schema))
        assert.ok('X-Request-Id' in response.headers)
        assert.ok(response.description.length > 0)
      }
    })

    it('describes every refusal of every operation, in the one error body', () => {
      for (const [name, operation] of entries) {
        const { responses } = document.paths[operation.path][operation.method.toLowerCase()]
        const wanted = [500, 503, ...operation.errors.map((error) => errorCatalogue[error].status)]
        if (operation.access !== 'public') wanted.push(401)
        const asksForType = operation.path.startsWith('/manage/')
        if ('body' in operation) wanted.push(413, 422, ...(asksForType ? [415] : []))
        if ('query' in operation) wanted.push(422)
        for (const code of new Set(wanted)) {
          const response = responses[String(code)]
          assert.ok(response, `${name} ${code}`)
          assert.deepEqual(response.content['application/json'].schema, {
            $ref: '#/components/schemas/Error',
          })
        }
        for (const error of operation.errors) {
          const { status: code, type } = errorCatalogue[error]
          assert.ok(responses[String(code)].description.includes(type), `${name} ${type}`)
        }
      }
    })

    it('describes Retry-After on every 429 and 503', () => {
      let count = 0
      for (const [, operation] of entries) {
        const { responses } = document.paths[operation.path][operation.method.toLowerCase()]
        for (const code of ['429', '503']) {
          if (!responses[code]) continue
          count++
          assert.deepEqual(responses[code].headers['Retry-After'].schema, { type: 'integer', minimum: 1 })
        }
      }
      assert.ok(count > entries.length)
    })

    it('is made of schemas that are in order', () => {
      const types = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'])
      for (const [path, schema] of objectsIn(document)) {
        if (!/\/schema(s\/\w+)?(\/|$)/.test(path) || /\/(default|example|enum|const)(\/|$)/.test(path))
          continue
        if (/\/properties$/.test(path)) continue
        if (typeof schema.type === 'string') assert.ok(types.has(schema.type), `${path}: ${schema.type}`)
        if (Array.isArray(schema.required) && isObject(schema.properties)) {
          for (const name of schema.required)
            assert.ok((name as string) in schema.properties, `${path}: ${name}`)
        }
        if (Array.isArray(schema.enum))
          assert.ok(schema.enum.length > 0 && new Set(schema.enum).size === schema.enum.length, path)
        if (typeof schema.pattern === 'string')
          assert.doesNotThrow(() => new RegExp(schema.pattern as string, 'u'), path)
        if (schema.type === 'array') assert.ok(isObject(schema.items), path)
      }
    })

    it('describes the defaults and bounds that hold', () => {
      const { properties } = bodyOf('/manage/v1/companies/{company_id}/apps', 'post')
      assert.deepEqual([properties.code_length.minimum, properties.code_length.maximum], [4, 8])
      assert.deepEqual([properties.token_ttl_s.minimum, properties.token_ttl_s.maximum], [60, 3600])
    })

    it('allows null in a change of settings, which restores a default', () => {
      const { properties } = bodyOf('/manage/v1/apps/{app_id}', 'patch')
      assert.ok(properties.code_length.type.includes('null'))
      assert.ok(properties.routing.properties.default.type.includes('null'))
      assert.ok(properties.routing.properties.countries.additionalProperties.type.includes('null'))
    })

    it('shows each kind of provider with its settings, and marks credentials as written only', () => {
      const schema = bodyOf('/manage/v1/providers', 'post')
      assert.equal(schema.discriminator.propertyName, 'kind')
      const kinds = schema.oneOf.map((form: Json) => shown(form).properties.kind.const)
      assert.deepEqual(kinds.toSorted(), Object.keys(providerKinds).toSorted())
      for (const form of schema.oneOf) {
        const { kind, channel, settings } = shown(form).properties
        const { secretSettings, channel: carried } = providerKinds[kind.const as keyof typeof providerKinds]
        assert.equal(channel.const, carried)
        assert.equal(schema.discriminator.mapping[kind.const], form.$ref)
        const secrets = Object.entries<Json>(shown(settings).properties)
          .filter(([, setting]) => setting.writeOnly)
          .map(([name]) => name)
        assert.deepEqual(secrets.toSorted(), [...secretSettings].toSorted())
        assert.equal(shown(settings).additionalProperties, false)
      }
    })

    it('shows a change of an account as a part of the settings of one kind', () => {
      const { settings } = bodyOf('/manage/v1/providers/{provider_id}', 'patch').properties
      assert.equal(settings.anyOf.length, Object.keys(providerKinds).length)
      for (const change of settings.anyOf) assert.equal(shown(change).required, undefined)
    })

    it('shows no credential in what is answered of an account', () => {
      const schema = shown(
        document.paths['/manage/v1/providers'].post.responses['201'].content['application/json'].schema,
      )
      for (const form of schema.oneOf) {
        const { kind, settings } = shown(form).properties
        for (const name of providerKinds[kind.const as keyof typeof providerKinds].secretSettings)
          assert.ok(!(name in shown(settings).properties), name)
      }
    })

    it('lists the paths on which providers call back', () => {
      assert.ok(Object.keys(document.paths).some((path) => path.startsWith('/hooks/')))
    })

    it('holds no secret and no person', async () => {
      const text = JSON.stringify(document)
      for (const secret of [tenant.serverKey, tenant.publishableKey, tenant.companyId, tenant.appId])
        assert.ok(!text.includes(secret))
    })
  })
})
