/** What docs/api.md says about errors and endpoints, held against the contract. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { errorCatalogue } from './errors.ts'
import { operations } from './operations.ts'

const page = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8')

describe('docs/api.md', () => {
  it('has every error that the service may answer with, and no others', () => {
    const rows = [...page.matchAll(/^\| ([\d, ]+) \| `(\w+)` \|/gm)]
    const said = rows.flatMap(([, statuses = '', type = '']) =>
      statuses.split(', ').map((status) => `${status} ${type}`),
    )
    const own = Object.values(errorCatalogue).map(({ status, type }) => `${status} ${type}`)
    // What never becomes a request is refused by Node itself, and is in no catalogue.
    const ofNode = ['400 HTTPException', '408 HTTPException', '431 HTTPException']
    assert.deepEqual([...new Set(said)].toSorted(), [...new Set([...own, ...ofNode])].toSorted())
  })

  it('names the path of every endpoint', () => {
    const paths = Object.values(operations).map(({ path }) => path)
    assert.deepEqual(
      paths.filter((path) => !spellings(path).some((spelling) => named.has(spelling))),
      [],
    )
  })
})

/** Paths as they stand between backticks, after their methods. */
const named = new Set(
  [...page.matchAll(/`(?:[A-Z]+(?:`, `[A-Z]+)* )?([/…][^` ]*)`/g)].map(([, path = '']) => path),
)

/** In a row of several endpoints `…`, or nothing, stands for what their paths have in common. */
const spellings = (path: string) => [
  path,
  path.replace('/manage/v1', ''),
  ...[...path.matchAll(/\//g)].map(({ index }) => `…${path.slice(index)}`),
]
