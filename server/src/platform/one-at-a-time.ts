/** Runs calls one after the other, in the order in which they come, whether or not the one before has failed. */
export function oneAtATime<Arguments extends readonly unknown[], Result>(
  run: (...given: Arguments) => Promise<Result>,
): (...given: Arguments) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve()
  return (...given) => {
    const next = () => run(...given)
    const result = last.then(next, next)
    last = result
    return result
  }
}
