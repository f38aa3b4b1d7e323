/**
 * A text that is not an address is reported before anything is sent, and so before a person is asked to prove who they
 * are. Only the service can tell whether an address can be reached.
 */
import type { FieldProblem } from '@countersign/contract'

const email = /^[^\s@]+@[^\s@]+$/

export const emailProblems = (path: string, text: string): readonly FieldProblem[] =>
  text === '' || email.test(text) ? [] : [{ path, message: 'must be an email address such as a@example.com' }]

export function urlProblems(path: string, text: string): readonly FieldProblem[] {
  if (text === '') return []
  return isWebAddress(text)
    ? []
    : [{ path, message: 'must be a whole address such as https://example.com/webhooks' }]
}

function isWebAddress(text: string): boolean {
  try {
    const { protocol, hostname } = new URL(text)
    return (protocol === 'https:' || protocol === 'http:') && hostname !== ''
  } catch {
    return false
  }
}
