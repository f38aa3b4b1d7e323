const units = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
] as const

/** A duration in words, rounded up: somebody who waits that long has waited long enough. */
export function sayDuration(seconds: number): string {
  let count = Math.ceil(seconds)
  for (const [unit, next] of units) {
    if (count < 1.5 * next && count !== next) return say(count, unit)
    count = Math.ceil(count / next)
  }
  return say(count, 'day')
}

function say(count: number, unit: string): string {
  if (count !== 1) return `${count} ${unit}s`
  return unit === 'hour' ? 'an hour' : `a ${unit}`
}
