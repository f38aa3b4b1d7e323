import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { Keyring } from '../../platform/keyring.ts'
import { emailForms } from './person.ts'

describe('the email address of a person', () => {
  it('is one whatever its case, and whichever way a keyboard composes its letters', () => {
    const keyring = new Keyring([{ id: 1, secret: randomBytes(32), activeFromMs: 0 }])
    const hashOf = (text: string) =>
      emailForms({ keyring: () => keyring, clock: { nowMs: () => 1 } }, text).hash.toString('hex')
    const [stored, ...typed] = [
      'Üser@bücher.de',
      'U\u0308ser@bu\u0308cher.de',
      'üser@XN--bcher-kva.de',
      ' Üser@bücher.de ',
    ]
    for (const text of typed) assert.equal(hashOf(text), hashOf(stored ?? ''), text)
  })
})
