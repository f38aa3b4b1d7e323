/** What the guard holds back, as people say it. */
import type { BlockAnswer } from '@countersign/contract'
import { countryName, plural } from '#lib/format.ts'

const levelWords: Readonly<Record<BlockAnswer['level'], string>> = {
  r100: 'A range of 100 numbers within',
  r1k: 'A range of 1,000 numbers within',
  r10k: 'The range of 10,000 numbers',
  carrier: 'A carrier',
  country: 'A whole country',
  unfamiliar: 'All carriers where the app has had almost no approvals',
  ip: 'A client address',
}

export const evidenceOf = ({ approved, numbers }: BlockAnswer): string =>
  `${approved} of ${plural(numbers, 'new number')} approved`

export const placeInWords = ({ level, place }: BlockAnswer) => ({
  what: levelWords[level],
  where: whereOf(level, place),
})

/** A carrier's place is its country and first digits: `AZ 50`. */
function whereOf(level: BlockAnswer['level'], place: string): string {
  if (level === 'country') return countryName(place)
  if (level === 'unfamiliar') return 'Unfamiliar carriers'
  const [country = '', digits = ''] = place.split(' ')
  return level === 'carrier' ? `${countryName(country)}, numbers in ${digits}…` : place
}
