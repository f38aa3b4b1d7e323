async function call(method, path, body) {
  const options = body === undefined ? { method } : { method, headers: JSON_TYPE, body: JSON.stringify(body) }
  const response = await fetch(path, options)
  const isJson = (response.headers.get('content-type') ?? '').startsWith('application/json')
  const answer = isJson ? await response.json() : null
  if (!response.ok) throw new Error(answer?.error?.message ?? `the simulator answered ${response.status}`)
  return answer
}

const JSON_TYPE = { 'content-type': 'application/json' }

export const getInfo = () => call('GET', '/info')
export const listBehaviour = () => call('GET', '/behaviour')
export const putBehaviour = (rule) => call('PUT', '/behaviour', rule)
export const clearBehaviour = () => call('DELETE', '/behaviour')
export const sendWhatsApp = (from, to, text) => call('POST', '/whatsapp/messages', { from, to, text })

/** Listens for as long as the page is open; the browser connects again by itself. */
export function listen({ hello, message, written, connection }) {
  const source = new EventSource('/messages/stream')
  source.addEventListener('hello', (event) => hello(JSON.parse(event.data)))
  source.addEventListener('message', (event) => message(JSON.parse(event.data)))
  source.addEventListener('written', (event) => written(JSON.parse(event.data)))
  source.addEventListener('open', () => connection(true))
  source.addEventListener('error', () => connection(false))
}
