/** How a text is sent as SMS: in the GSM 03.38 default alphabet if that suffices, else in UCS-2. */

export type SmsEncoding = 'gsm7' | 'ucs2'

// In the order of the codes; at the position of ESC (0x1b) is a character that no text contains.
const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'
const ESCAPE = 0x1b
const EXTENSION: ReadonlyMap<string, number> = new Map([
  ['\f', 0x0a],
  ['^', 0x14],
  ['{', 0x28],
  ['}', 0x29],
  ['\\', 0x2f],
  ['[', 0x3c],
  ['~', 0x3d],
  [']', 0x3e],
  ['|', 0x40],
  ['€', 0x65],
])
const SEPTETS: ReadonlyMap<string, readonly number[]> = new Map([
  ...[...BASIC].flatMap((character, code): [string, number[]][] =>
    code === ESCAPE ? [] : [[character, [code]]],
  ),
  ...[...EXTENSION].map(([character, code]): [string, number[]] => [character, [ESCAPE, code]]),
])

/** How many units fit into a single message, and into each part of a longer one, whose header takes six bytes. */
const LIMITS = { gsm7: { single: 160, part: 153 }, ucs2: { single: 70, part: 67 } } as const

export function isGsm7(text: string): boolean {
  return [...text].every((character) => SEPTETS.has(character))
}

/** One septet in each byte, as SMPP carries them. Throws for a text that is not GSM-7. */
export function encodeGsm7(text: string): Buffer {
  return Buffer.from(
    [...text].flatMap((character) => {
      const septets = SEPTETS.get(character)
      if (septets === undefined) throw new RangeError('not in the GSM-7 alphabet')
      return septets
    }),
  )
}

/** `units` counts septets or UTF-16 code units. */
export function countSegments(text: string): { encoding: SmsEncoding; segments: number; units: number } {
  const { encoding, parts } = splitText(text)
  return { encoding, segments: parts.length, units: countUnits(text, encoding) }
}

/** Never splits an escape sequence or a surrogate pair. */
export function splitText(text: string): { encoding: SmsEncoding; parts: string[] } {
  const encoding = isGsm7(text) ? 'gsm7' : 'ucs2'
  if (countUnits(text, encoding) <= LIMITS[encoding].single) return { encoding, parts: [text] }
  const parts: string[] = []
  let part = ''
  let units = 0
  for (const character of text) {
    const size = countUnits(character, encoding)
    if (units + size > LIMITS[encoding].part) {
      parts.push(part)
      part = ''
      units = 0
    }
    part += character
    units += size
  }
  return { encoding, parts: [...parts, part] }
}

function countUnits(text: string, encoding: SmsEncoding): number {
  return encoding === 'gsm7' ? encodeGsm7(text).length : text.length
}
