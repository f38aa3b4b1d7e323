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
export const getService = () => call('GET', '/service')
export const listBehaviour = () => call('GET', '/behaviour')
export const putBehaviour = (rule) => call('PUT', '/behaviour', rule)
export const clearBehaviour = () => call('DELETE', '/behaviour')
export const removeBehaviour = ({ to, channel }) =>
  call('DELETE', `/behaviour?${new URLSearchParams({ to, channel: channel ?? '' })}`)
export const clearMessages = () => call('DELETE', '/inbox')
export const getRaw = (id) => call('GET', `/messages/${id}/raw`)
export const getSpelling = (to) => call('GET', `/show?${new URLSearchParams({ to })}`)
export const sendCode = (recipient) => call('POST', '/service/send', { recipient })
export const checkCode = (otpId, code) => call('POST', '/service/verify', { otp_id: otpId, code })
export const sendWhatsApp = (from, to, text) => call('POST', '/whatsapp/messages', { from, to, text })

/** Listens for as long as the page is open; the browser connects again by itself. */
export function listen({ connection, ...listeners }) {
  const source = new EventSource('/messages/stream')
  for (const [name, listener] of Object.entries(listeners)) {
    source.addEventListener(name, (event) => listener(JSON.parse(event.data)))
  }
  source.addEventListener('open', () => connection(true))
  source.addEventListener('error', () => connection(false))
}
