/** Reads an answer up to a bound; undefined where there is more, which no answer of the service has. */
export async function readWithin(response: Response, mostBytes: number): Promise<string | undefined> {
  if (!response.body) return readWhole(response, mostBytes)
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.length
    if (bytes > mostBytes) {
      // Nobody waits for the end of what nobody reads.
      reader.cancel().catch(() => undefined)
      return undefined
    }
    text += decoder.decode(value, { stream: true })
  }
}

/** Where nothing streams, such as in a fetch that somebody has made up. */
async function readWhole(response: Response, mostBytes: number): Promise<string | undefined> {
  if (Number(response.headers.get('content-length')) > mostBytes) return undefined
  const text = await response.text()
  return text.length > mostBytes ? undefined : text
}
