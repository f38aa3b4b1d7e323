/** Holds docs/twilio.md against the routes, the codes, and what is refused as unsupported. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { codes } from './error-body.ts'
import { twilioRoutes } from './register.ts'
import { unsupported } from './verifications.ts'

const page = readFileSync(new URL('../../../../docs/twilio.md', import.meta.url), 'utf8')
const plain = (call: string) => call.replaceAll(/\{[^}]*\}|:\w+/g, '{}')

describe('docs/twilio.md', () => {
  it('has every call, and no others', () => {
    const rows = [...page.matchAll(/^\| (`(?:GET|POST) .*?) \|/gm)]
    const said = rows.flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, call = '']) => call),
    )
    assert.deepEqual(
      said.map(plain).toSorted(),
      twilioRoutes.map(({ method, path }) => plain(`${method} ${path.slice(1)}`)).toSorted(),
    )
  })

  it('has every code with its status, and no others', () => {
    const rows = [...page.matchAll(/^\| (\d{5}[\d, ]*) \| ([\d, ]+) \|/gm)]
    const said = rows.flatMap(([, cell = '', statuses = '']) =>
      cell.split(', ').map((code, index) => [code, Number(statuses.split(', ')[index])]),
    )
    const own = Object.entries(codes).map(([code, { status }]) => [code, status])
    assert.deepEqual(said.toSorted(), own.toSorted())
  })

  it('names everything that is refused as unsupported', () => {
    const [sentence = ''] = /^- \*\*Not supported\*\*.*$/m.exec(page) ?? []
    assert.deepEqual(
      unsupported.filter((name) => !sentence.includes(`\`${name}\``)),
      [],
    )
  })
})
