import type { FoundAt } from '@countersign/contract'
import { parsePlace } from './settings.ts'

/** Throws only for a bug, since settings were checked before they were stored. */
export function compilePlaces(texts: readonly string[] = []): readonly FoundAt[] {
  return texts.map((text) => {
    const place = parsePlace(text)
    if ('problem' in place) throw new Error('a place cannot be read')
    return place.result
  })
}
