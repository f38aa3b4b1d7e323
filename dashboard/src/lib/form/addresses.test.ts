import assert from 'node:assert/strict'
import { it } from 'node:test'
import { emailProblems, urlProblems } from './addresses.ts'

const refused = (check: typeof urlProblems, texts: readonly string[]) =>
  texts.filter((text) => check('to', text).length > 0)

it('refuses what cannot be an address, and leaves the rest to the service', () => {
  assert.deepEqual(refused(emailProblems, ['a@example.com', 'ada', 'a b@example.com', 'a@b@c', '@b']), [
    'ada',
    'a b@example.com',
    'a@b@c',
    '@b',
  ])
  assert.deepEqual(
    refused(urlProblems, ['https://example.com', 'http://127.0.0.1:9/x', 'example.com', 'ftp://a']),
    ['example.com', 'ftp://a'],
  )
})

it('leaves it to the contract to say that an address is missing', () => {
  assert.deepEqual([...emailProblems('email', ''), ...urlProblems('url', '')], [])
})
