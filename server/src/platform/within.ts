/** Waits for work to end, but not for ever; the work itself goes on. */
export async function within(timeoutMs: number, work: Promise<unknown>): Promise<void> {
  await endsWithin(
    timeoutMs,
    work.then(() => true),
  )
}

/** What the work answered, or false when it did not in time; the work itself goes on. */
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
