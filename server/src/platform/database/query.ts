/** The text before the first question mark, and after it. */
export function splitQuery(url: string): [path: string, query: string] {
  const at = url.indexOf('?')
  return at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)]
}

export const parametersOf = (url: string): URLSearchParams => new URLSearchParams(splitQuery(url)[1])
