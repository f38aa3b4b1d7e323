/** The words for what the guard holds back. */
import type { BlockAnswer } from '@countersign/contract'
import { readCarrierPlace } from '@countersign/contract/words'
import { countryName, plural } from './format.ts'

const levelWords: Readonly<Record<BlockAnswer['level'], string>> = {
  r100: 'A range of 100 numbers within',
  r1k: 'A range of 1,000 numbers within',
  r10k: 'The range of 10,000 numbers',
  carrier: 'A carrier',
  country: 'A whole country',
  known_carrier: 'A carrier, for people verified before',
  known_country: 'A whole country, for people verified before',
  ip: 'A client address',
}

export const evidenceOf = ({ approved, numbers, level }: BlockAnswer): string =>
  `${approved} of ${plural(numbers, level.startsWith('known') ? 'code' : 'new number')} approved`

type Weighed = Pick<BlockAnswer, 'kind' | 'numbers'>

/** Blocks come before holds, which last only a moment, and then those that are based on the most numbers. */
export const widestFirst = <Block extends Weighed>(blocks: readonly Block[]): Block[] =>
  [...blocks].sort(
    (one, other) =>
      Number(one.kind === 'hold') - Number(other.kind === 'hold') || other.numbers - one.numbers,
  )

export const placeInWords = ({ level, place }: Pick<BlockAnswer, 'level' | 'place'>) => ({
  what: levelWords[level],
  where: whereOf(level, place),
})

function whereOf(level: BlockAnswer['level'], place: string): string {
  if (level === 'country' || level === 'known_country') return countryName(place)
  return level === 'carrier' || level === 'known_carrier' ? carrierInWords(place) : place
}

function carrierInWords(place: string): string {
  const { country, prefix, carrier } = readCarrierPlace(place)
  const numbers = `numbers in ${prefix}…${carrier && ` (${carrier})`}`
  return `${countryName(country)}, ${prefix ? numbers : carrier}`
}
