import assert from 'node:assert/strict'
import { it } from 'node:test'
import { peopleIn } from './people.ts'

const by = (person_id: string | null, email: string | null) => ({
  actor: { kind: 'person', person_id, email } as const,
})

it('the trail can be narrowed down to members, to whoever is in it, and to whoever is asked for', () => {
  const members = [{ person_id: 'usr_b', email: 'ben@example.com' }]
  const entries = [
    by('usr_a', 'anna@example.com'),
    by('usr_b', 'ben@example.com'),
    by('usr_gone', null),
    by(null, null),
  ]
  assert.deepEqual(peopleIn(members, entries, 'usr_x'), [
    ['usr_a', 'anna@example.com'],
    ['usr_b', 'ben@example.com'],
    ['usr_gone', 'usr_gone'],
    ['usr_x', 'usr_x'],
  ])
})
