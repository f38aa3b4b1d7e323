/** Where people and attackers are: mobile ranges that are valid as a whole, and how people there convert. */
import type { Random } from './random.ts'

export interface Country {
  readonly region: string
  readonly callingCode: string
  /** First national digits of each carrier. */
  readonly carriers: readonly string[]
  readonly nationalLength: number
  readonly conversion: number
  readonly share: number
}

const country = (
  region: string,
  callingCode: string,
  carriers: string,
  nationalLength: number,
  conversion: number,
  share: number,
): Country => ({ region, callingCode, carriers: carriers.split(' '), nationalLength, conversion, share })

/** Where the app has its people. The first is home. */
export const served: readonly Country[] = [
  country(
    'GB',
    '44',
    '740 741 742 743 746 747 751 753 754 755 756 757 758 759 771 772 773 774 775 777 780 781 784 785 786 787 788 789 790 792 794 795 796 797',
    10,
    0.78,
    0.62,
  ),
  country('DE', '49', '151 152 157 159 160 162 163 170 171 172 173 174 175 176 177 178 179', 11, 0.82, 0.1),
  country('FR', '33', '60 61 62 64 65 66 67 68', 9, 0.74, 0.08),
  country('ES', '34', '60 61 62 63 64 65 66 67 68 69', 9, 0.72, 0.06),
  country('IN', '91', '981 982 983 984 985 986 987 988 989', 10, 0.6, 0.05),
  country('BR', '55', '119 219 319 419 519', 11, 0.66, 0.04),
  country('NG', '234', '803 805 806 807 810 813 814 816', 10, 0.55, 0.03),
  country('PL', '48', '50 51 60 66 69 78 88', 9, 0.76, 0.01),
  country('MA', '212', '61 62 66 67', 9, 0.58, 0.004),
  country('TR', '90', '532 533 535 542 543 553', 10, 0.64, 0.004),
  country('KE', '254', '70 71 72 79', 9, 0.57, 0.002),
]

/** Small carriers at home, with all the ranges that the numbering plan has issued to each. */
export const smallCarriers: readonly (readonly string[])[] = [
  '74060 74061 74062 78227 79784',
  '74409 75588 77000 78722 79245 79782 79783',
  '73561 73563 73699 73896 74419 74580 74581 74888 75599 77001 78939',
  '73682 73683 73684 73685 73686 73692 74882 74883',
  '74183 74414 74512 75206',
  '74080 74081 74082 74086 74088 74089 74178 75594 79788',
  '75207 78224 78226 78938',
].map((ranges) => ranges.split(' '))

/** Where a launch goes. */
export const launched = country('MX', '52', '551 552 553 554 555 331 332', 10, 0.63, 0)

/** Where nobody has ever signed up. */
export const attacked: readonly Country[] = [
  country('AZ', '994', '50 51 55 70 77', 9, 0, 0),
  country('UZ', '998', '90 91 93 94 97', 9, 0, 0),
  country('TJ', '992', '92 93 98', 9, 0, 0),
  country('LK', '94', '70 71 72 76 77', 9, 0, 0),
  country('BD', '880', '171 181 191 161', 10, 0, 0),
  country('KH', '855', '11 12 17', 8, 0, 0),
  country('SN', '221', '77 76 70', 9, 0, 0),
  country('CI', '225', '07 05 01', 10, 0, 0),
  country('TZ', '255', '71 75 76 78', 9, 0, 0),
  country('UG', '256', '77 78 75 70', 9, 0, 0),
  country('GE', '995', '555 577 599', 9, 0, 0),
  country('KG', '996', '555 700 772', 9, 0, 0),
]

export const digits = (random: Random, count: number) =>
  Array.from({ length: count }, () => random.below(10)).join('')

export function numberIn(random: Random, place: Country, carrier = random.pick(place.carriers)): string {
  return `+${place.callingCode}${carrier}${digits(random, place.nationalLength - carrier.length)}`
}
