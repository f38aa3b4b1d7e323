/** Numbers as they are stored: whole ones, one after the other. Reading and writing them is most of what the guard costs. */
const codeOf = (sign: string) => sign.charCodeAt(0)
const betweenNumbers = codeOf(':')
const minus = codeOf('-')
const zero = codeOf('0')

/** To a ten-thousandth: exact enough for whatever is compared with it. */
export const tenThousandths = (value: number): number => Math.round(value * 10_000)

/** Reads digit by digit: to take a text apart first costs several times as much. */
export class NumberReader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  whole(): number {
    let value = 0
    let isNegative = false
    for (;;) {
      const code = this.#at < this.#text.length ? this.#text.charCodeAt(this.#at) : betweenNumbers
      this.#at++
      if (code === betweenNumbers) return isNegative ? -value : value
      if (code === minus) isNegative = true
      else value = value * 10 + code - zero
    }
  }

  tenThousandths(): number {
    return this.whole() / 10_000
  }
}
