/** Countries of people and attackers: mobile ranges in which every number is valid, and the share of approvals. */
import type { Random } from './random.ts'

export interface Country {
  readonly region: string
  readonly callingCode: string
  /** The first national digits of each carrier. */
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

/** The countries of the app's people. The first is home. */
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

/** The country where the app is launched. */
export const launched = country('MX', '52', '551 552 553 554 555 331 332', 10, 0.63, 0)

/** Countries where nobody has ever signed up. */
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

/** A hundred more countries without people, each with its code, first national digits and length. */
export const elsewhere: readonly Country[] = `
  AL355:672:9 AM374:771:8 AO244:923:9 BA387:611:8 BF226:701:8 BG359:430:8 BH973:360:8 BI257:795:8
  BJ229:019:10 BO591:712:8 BY375:294:9 CD243:991:9 CG242:061:9 CM237:671:9 CO57:321:10 CR506:831:8
  CY357:961:8 DZ213:551:9 EC593:991:9 EE372:512:8 EG20:100:10 ET251:911:9 FI358:412:9 GA241:060:8
  GH233:231:9 GM220:301:7 GN224:601:9 GR30:691:10 GT502:512:8 HN504:912:8 HR385:921:9 HT509:341:8
  ID62:812:9 IE353:850:9 IL972:502:9 IQ964:791:10 IS354:611:7 JO962:790:9 JP81:901:10 KR82:102:10
  KW965:500:8 LA856:202:10 LB961:711:8 LR231:770:9 LS266:501:8 LT370:612:8 LU352:628:9 LV371:212:8
  LY218:912:9 MD373:621:8 ME382:601:8 MG261:321:9 MK389:723:8 ML223:650:8 MN976:881:8 MR222:221:8
  MT356:969:8 MU230:525:8 MV960:771:7 MW265:991:9 MY60:123:9 MZ258:821:9 NA264:811:9 NE227:931:8
  NI505:812:8 NO47:406:8 NZ64:211:9 OM968:921:8 PA507:612:8 PE51:912:9 PG675:701:8 PH63:905:10
  PK92:301:10 PS970:599:9 PY595:961:9 QA974:331:8 RO40:712:9 RS381:601:9 RW250:720:9 SA966:512:9
  SD249:911:9 SE46:701:9 SG65:812:8 SI386:312:8 SK421:912:9 SL232:251:8 SO252:711:8 SV503:701:8
  SY963:944:9 TD235:630:8 TG228:901:8 TH66:812:9 TN216:201:8 UA380:501:9 UY598:942:8 VE58:412:10
  VN84:912:9 YE967:712:9 ZA27:711:9 ZM260:955:9`
  .trim()
  .split(/\s+/)
  .map((entry) => {
    const [, region = '', callingCode = '', carrier = '', length] =
      /^([A-Z]+)(\d+):(\d+):(\d+)$/.exec(entry) ?? []
    return country(region, callingCode, carrier, Number(length), 0, 0)
  })

export const digits = (random: Random, count: number) =>
  Array.from({ length: count }, () => random.below(10)).join('')

export function numberIn(random: Random, place: Country, carrier = random.pick(place.carriers)): string {
  return `+${place.callingCode}${carrier}${digits(random, place.nationalLength - carrier.length)}`
}
