/** What the documents say about errors, endpoints and answers, held against the contract. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { errorCatalogue } from './errors/errors.ts'
import { operations } from './operations.ts'
import { refusingRules } from './sentences/decision-words.ts'

const page = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8')

describe('docs/api.md', () => {
  it('has every error that the service may answer with, and no others', () => {
    const rows = [...page.matchAll(/^\| ([\d, ]+) \| `(\w+)` \|/gm)]
    const said = rows.flatMap(([, statuses = '', type = '']) =>
      statuses.split(', ').map((status) => `${status} ${type}`),
    )
    const own = Object.values(errorCatalogue).map(({ status, type }) => `${status} ${type}`)
    // Node itself refuses what is not a valid request; these errors are not in the catalogue.
    const ofNode = ['400 HTTPException', '408 HTTPException', '417 HTTPException', '431 HTTPException']
    assert.deepEqual([...new Set(said)].toSorted(), [...new Set([...own, ...ofNode])].toSorted())
  })

  it('names every rule that can refuse, where refusals are filtered by it', () => {
    const [row = ''] = /^\| `rule` \| which rule refused.*$/m.exec(page) ?? []
    const rules = [...row.matchAll(/`([a-z_.]+)`/g)].flatMap(([, name = '']) => (name === 'rule' ? [] : name))
    assert.deepEqual(rules.toSorted(), refusingRules.toSorted())
  })

  it('names the path of every endpoint', () => {
    const paths = Object.values(operations).map(({ path }) => path)
    assert.deepEqual(
      paths.filter((path) => !spellings(path).some((spelling) => named.has(spelling))),
      [],
    )
  })

  it('and the other documents show no call that there is not', () => {
    const calls = new Set(Object.values(operations).map(({ method, path }) => `${method} ${plain(path)}`))
    const folder = new URL('../../docs/', import.meta.url)
    const unknown = readdirSync(folder)
      .filter((name) => name.endsWith('.md'))
      .flatMap((name) =>
        callsIn(readFileSync(new URL(name, folder), 'utf8'))
          .filter(([method, path]) => !calls.has(`${method} ${plain(path)}`))
          .map(([method, path]) => `${name}: ${method} ${path}`),
      )
    assert.deepEqual(unknown, [])
  })
})

describe('docs/providers.md', () => {
  it('shows an account with every field that it is answered with', () => {
    const text = readFileSync(new URL('../../docs/providers.md', import.meta.url), 'utf8')
    const [, account = ''] = /^(\{"provider_id".*)$/m.exec(text) ?? []
    const { error } = operations.createProvider.answer.safeParse(JSON.parse(account))
    assert.deepEqual(error?.issues ?? [], [])
  })
})

describe('docs/pumping.md', () => {
  it('shows answers with every field that they have, and settings that an app may have', () => {
    const text = readFileSync(new URL('../../docs/pumping.md', import.meta.url), 'utf8')
    const shown = [...text.matchAll(/^```json\n(\{.*\})\n```/gm)].map(([, json = '']) => JSON.parse(json))
    const schemas = [
      operations.updateApp.body,
      operations.listBlocks.answer,
      operations.getDebts.answer,
      operations.getHeldPeople.answer,
    ]
    assert.deepEqual(
      shown,
      schemas.map((schema, index) => schema.parse(shown[index])),
    )
  })
})

/** A path without its query and without the names of its ids, which documents may spell differently. */
const plain = (path: string) => path.replaceAll(/\{[^}]*\}/g, '{}').replace(/\?.*/, '')

/** Calls such as `GET /manage/v1/…`; several methods may stand before one path. */
const callsIn = (text: string) =>
  [...text.matchAll(/`([A-Z]+(?:`, `[A-Z]+)*) (\/(?:api|manage)\/v1\/[^` …]*)`/g)].flatMap(
    ([, methods = '', path = '']) => methods.split('`, `').map((method) => [method, path] as const),
  )

/** Paths between backticks, without the methods before them. */
const named = new Set(
  [...page.matchAll(/`(?:[A-Z]+(?:`, `[A-Z]+)* )?([/…][^` ]*)`/g)].map(([, path = '']) => path),
)

/** In a row of several endpoints, `…` or nothing replaces what their paths have in common. */
const spellings = (path: string) => [
  path,
  path.replace('/manage/v1', ''),
  ...[...path.matchAll(/\//g)].map(({ index }) => `…${path.slice(index)}`),
]
