/** Reads an answer up to a bound; undefined if it is longer, which no answer of the service is. */
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
      // The rest is not read, and its end not waited for.
      reader.cancel().catch(() => undefined)
      return undefined
    }
    text += decoder.decode(value, { stream: true })
  }
}

/** For a body that is not a stream, as a custom fetch may return it. */
async function readWhole(response: Response, mostBytes: number): Promise<string | undefined> {
  if (Number(response.headers.get('content-length')) > mostBytes) return undefined
  const text = await response.text()
  return text.length > mostBytes ? undefined : text
}
