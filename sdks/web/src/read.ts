/** Reads an answer with a bound, since the other side may send anything. */

const mostBytes = 1_048_576

export type Json = Readonly<Record<string, unknown>>

export const asObject = (value: unknown): Json | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null

/** Null if it is not an object, or longer than any answer of the service. */
export async function readObject(response: Response): Promise<Json | null> {
  const text = await readText(response)
  try {
    return asObject(JSON.parse(text))
  } catch {
    return null
  }
}

async function readText(response: Response): Promise<string> {
  if (!response.body) return readWhole(response)
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (let bytes = 0; ; ) {
    const { done, value } = await reader.read()
    if (done) return text
    bytes += value.length
    if (bytes > mostBytes) {
      reader.cancel().catch(() => undefined)
      return ''
    }
    text += decoder.decode(value, { stream: true })
  }
}

/** React Native does not stream: the whole answer is in memory, and one that is too long is dropped. */
async function readWhole(response: Response): Promise<string> {
  if (Number(response.headers.get('content-length')) > mostBytes) return ''
  const text = await response.text()
  return text.length > mostBytes ? '' : text
}
