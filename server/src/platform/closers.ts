/** What has been opened so far, closed in the reverse order: at the end, or when opening fails half-way. */
export class Closers {
  readonly #closers: (() => unknown)[] = []

  add(close: () => unknown): void {
    this.#closers.push(close)
  }

  readonly close = async (): Promise<void> => {
    for (const close of this.#closers.splice(0).reverse()) await close()
  }
}

/** Opens with `open`; what it had opened is closed again if it fails. */
export async function openWhole<Opened>(
  open: (closers: Closers) => Promise<Opened>,
): Promise<Opened & { readonly close: () => Promise<void> }> {
  const closers = new Closers()
  try {
    return { ...(await open(closers)), close: closers.close }
  } catch (error) {
    await closers.close().catch(() => {})
    throw error
  }
}
