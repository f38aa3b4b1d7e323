/** A one-time link has its token after the `#`, which no server sees. Once read, it is removed from the address. */
let found: string | null | undefined

export function readLinkToken(): string | null {
  if (found === undefined || location.hash.includes('token=')) {
    found = new URLSearchParams(location.hash.slice(1)).get('token')
    if (found !== null) history.replaceState(history.state, '', location.pathname + location.search)
  }
  return found
}

export function forgetLinkToken(): void {
  found = null
}
