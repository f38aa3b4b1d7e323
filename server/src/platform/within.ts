/** Waits for work to end, but no longer than the timeout; the work itself continues. */
export async function within(timeoutMs: number, work: Promise<unknown>): Promise<void> {
  await endsWithin(
    timeoutMs,
    work.then(() => true),
  )
}

/** The result of the work, or false if it was not ready in time; the work itself continues. */
export async function endsWithin(timeoutMs: number, work: Promise<boolean>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const bound = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, timeoutMs, false)
  })
  try {
    return await Promise.race([work, bound])
  } finally {
    clearTimeout(timer)
  }
}
