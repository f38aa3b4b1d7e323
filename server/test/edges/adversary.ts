/** Texts that patterns and parsers almost match, and a check that reading one does not block the process for long. */
import assert from 'node:assert/strict'

/** The most processor time that any text from outside may take. */
const boundMs = 50
const rounds = 5

/** Each is repeated up to the wanted length. */
export const seeds: readonly string[] = [
  'a',
  'A',
  '0',
  '1',
  ' ',
  '\t',
  '\n',
  '\r\n',
  '\r\n ',
  '\n\n',
  '.',
  '-',
  '_',
  '+',
  '@',
  ':',
  ';',
  ',',
  '/',
  '\\',
  '"',
  "'",
  '<',
  '>',
  '<a>',
  '<style>',
  '<!--',
  '{',
  '}',
  '{{a',
  '{{code}}',
  '{code}',
  '[',
  ']',
  '(',
  '(1',
  '&',
  '%40',
  '%',
  '=',
  '=3D',
  '\0',
  'é',
  '\u0301',
  '\u{1f600}',
  '\u202e',
  'a@',
  '@a',
  'a@a.a,',
  'a.',
  'a-',
  '-a',
  'a.a-',
  '1 ',
  '+1 ',
  '1.',
  '+1(',
  '1,',
  'id:',
  ' id: ',
  'id: a ',
  'text:',
  '--b\r\n',
  'a: b\r\n',
  'a:a\n a',
  '::',
  'f:',
  '1.1.1.1,',
  '1.1.1.1-',
  'http',
  'www.',
  'xn--a.',
  'QUFB',
  'QUFBQUFBQUFBQUFBQUFBQUE= ',
  'x'.repeat(23).concat(' '),
  '1'.repeat(8).concat(' '),
  '550 5.1.1 ',
  'Bearer ',
  '[],',
  '{"a":',
  'null,',
  'a=b&',
  'a;a=',
]

const longest = new Map<string, string>()

/** Cached by seed, because making a text takes longer than reading it. */
export function repeated(seed: string, length: number): string {
  const known = longest.get(seed) ?? ''
  if (known.length >= length) return known.slice(0, length)
  const made = seed.repeat(Math.ceil(length / seed.length))
  longest.set(seed, made)
  return made.slice(0, length)
}

function cpuMs(run: () => unknown): number {
  const before = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

const ground = new Uint8Array(1_048_576).map((_, index) => index * 31)
function walkOnce(): number {
  let sum = 0
  for (let place = 0; place < ground.length; place++) sum = (sum * 33 + (ground[place] ?? 0)) | 0
  return sum
}
/** Constant work that makes no garbage, over more memory than a core has in its nearest cache. */
function walk(): number {
  let sum = 0
  for (let round = 0; round < 8; round++) sum ^= walkOnce()
  return sum
}
/** The processor time of a walk on an otherwise idle processor. */
const walkMs = 12

/**
 * How much slower the processor is now, by the best of a few walks, of which the first is not compiled yet. At least 1,
 * so that a faster processor gets no stricter bound. At most 4, because quadratic time exceeds the bound by far more.
 */
function slowness(): number {
  const bestMs = Math.min(...Array.from({ length: 4 }, () => cpuMs(walk)))
  return Math.min(4, Math.max(1, bestMs / walkMs))
}

/**
 * Measures processor time, and takes the best of a few rounds, so that neither a busy machine nor a garbage collection
 * counts. Where other programs share the core and its cache, processor time grows as well, so a result over the bound
 * is divided by the slowness measured right after it. A run within the bound by the wall clock needs none of this, and
 * asking for processor time takes longer than most runs.
 */
export function assertPrompt(what: string, run: () => unknown): void {
  const startedAt = performance.now()
  run()
  if (performance.now() - startedAt < boundMs) return
  let bestMs = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds && bestMs >= boundMs; round++) {
    const tookMs = cpuMs(run)
    bestMs = Math.min(bestMs, tookMs < boundMs ? tookMs : tookMs / slowness())
  }
  assert.ok(bestMs < boundMs, `${what} took ${Math.round(bestMs)} ms`)
}

/** Increasing lengths, so that a slow case is found before it takes minutes. */
export function lengthsUpTo(limit: number): number[] {
  const lengths: number[] = []
  for (let length = Math.min(limit, 4_096); length < limit; length *= 4) lengths.push(length)
  return [...lengths, limit]
}

/** Every seed at every length. */
export const everyText = (limit: number) =>
  seeds.flatMap((seed) =>
    lengthsUpTo(limit).map((length) => ({
      what: `${length} characters of ${JSON.stringify(seed)}`,
      text: repeated(seed, length),
    })),
  )
