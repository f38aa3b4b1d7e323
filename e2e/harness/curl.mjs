/** As much of curl as the documents use, so that running them needs Node alone. Another option is a mistake. */
import { parseArgs } from 'node:util'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    silent: { type: 'boolean', short: 's' },
    request: { type: 'string', short: 'X' },
    header: { type: 'string', short: 'H', multiple: true, default: [] },
    data: { type: 'string', short: 'd' },
  },
})
const [url] = positionals
if (positionals.length !== 1 || url === undefined) throw new Error(`one address, not ${positionals.length}`)
const headers = new Headers(
  values.data === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' },
)
for (const line of values.header) {
  const [name = '', ...rest] = line.split(':')
  headers.set(name.trim(), rest.join(':').trim())
}
const ask = async () => {
  const answer = await fetch(url, {
    method: values.request ?? (values.data === undefined ? 'GET' : 'POST'),
    headers,
    ...(values.data === undefined ? {} : { body: values.data }),
  })
  return answer.text()
}

/** Who pastes a call reads the phone when the message is there. */
const isPhone = url.includes('/messages?to=')
const patienceMs = 30_000
let text = await ask()
for (const giveUpAt = Date.now() + patienceMs; isPhone && text.trim() === '[]' && Date.now() < giveUpAt; ) {
  await new Promise((resolve) => setTimeout(resolve, 100))
  text = await ask()
}
process.stdout.write(text)
