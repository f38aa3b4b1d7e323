import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { maskedText } from './masked-text.ts'

const said = (text: string) => maskedText('sms', { text, code: '123456', inReplyTo: null })

describe('the text of a message, as support may read it', () => {
  it('has stars for the code, wherever it is', () => {
    assert.equal(
      said('123456 is your code.\n@example.com #123456'),
      '****** is your code.\n@example.com #******',
    )
  })

  it('is not kept if the code is spelled in a way that would not be masked', () => {
    assert.equal(said('Your code is 123-456.'), null)
  })

  it('is cut after it is masked, so that no part of a code is left at the end', () => {
    const kept = said(`${'x'.repeat(1_997)}123456`)
    assert.equal(kept, `${'x'.repeat(1_997)}***`)
  })
})
