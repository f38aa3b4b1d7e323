import { FieldReader } from '../http/fields.ts'

/** The query parameters of an address; an empty one counts as absent. */
export function readQuery(url: URL, known: readonly string[]) {
  const given = Object.fromEntries([...url.searchParams].filter(([, value]) => value !== ''))
  // A plus sign that was not escaped arrives as a space.
  if (given.to !== undefined) given.to = given.to.trim()
  return { given, fields: new FieldReader(given, known) }
}
