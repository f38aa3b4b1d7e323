import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { mostReferences, referencesIn } from './references.ts'

const reference = '7K3M-9QXA-ZT0H-1BCD'
const plain = reference.replaceAll('-', '')

/** Letters and digits in which hardly any run comes twice. */
const digits = Array.from({ length: 40 }, (_, each) => createHash('sha256').update(`${each}`).digest('hex'))

describe('references in a message', () => {
  const long = 'the quick brown fox jumps over that lazy dog. '.repeat(20)
  const messages = {
    alone: reference,
    'behind words': `My code for Acme, please: ${reference}`,
    'between words without a blank': `code${plain}please`,
    'at the end of the longest message that is read': `${long.slice(0, 1_000 - reference.length - 1)} ${reference}`,
    'behind a word with more runs than are looked up': `${digits.join('').slice(0, 900)} ${reference}`,
    'behind as many numbers': `${'0123 '.repeat(150)}${reference}`,
  }
  for (const [where, message] of Object.entries(messages)) {
    it(`are found ${where}`, () => assert.ok(referencesIn(message).includes(plain)))
  }

  const floods = {
    'of one word': digits.join(''),
    'of words of one letter': digits.join('').split('').join(' '),
    'of words of four letters': digits.join('').replace(/(.{4})/g, '$1-'),
  }
  for (const [what, message] of Object.entries(floods)) {
    it(`are few in a message ${what}`, () => assert.ok(referencesIn(message).length <= mostReferences))
  }

  it('are none in what is too short, or of no letters', () => {
    for (const message of ['', 'Hello!', '👍'.repeat(100), reference.slice(0, -1)])
      assert.deepEqual(referencesIn(message), [])
  })
})
