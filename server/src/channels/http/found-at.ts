import type { FoundAt } from '@countersign/contract'
import { parseFoundAt } from './settings.ts'

/** Throws only for a bug, since settings were checked before they were stored. */
export function compileFoundAt(texts: readonly string[] = []): readonly FoundAt[] {
  return texts.map((text) => {
    const parsed = parseFoundAt(text)
    if ('problem' in parsed) throw new Error('it cannot be read where a value is found')
    return parsed.result
  })
}
