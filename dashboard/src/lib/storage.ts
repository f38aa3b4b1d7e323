/** Small choices that the browser remembers. Storage may be forbidden; nothing depends on it. */
const prefix = 'countersign.'

export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(prefix + key)
  } catch {
    return null
  }
}

export function writeStored(key: string, value: string): void {
  try {
    localStorage.setItem(prefix + key, value)
  } catch {
    // The choice is not remembered; the page works without it.
  }
}
