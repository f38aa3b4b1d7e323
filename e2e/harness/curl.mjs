/** As much of curl as the documents use, so that running them needs Node alone. Another option is a mistake. */
import { once } from 'node:events'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
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
const { data, header, request: method = data === undefined ? 'GET' : 'POST' } = values
const headers = data === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }
for (const line of header) {
  const [name = '', ...rest] = line.split(':')
  headers[name.trim().toLowerCase()] = rest.join(':').trim()
}
// Not `fetch`, which takes longer to begin than the call does.
const ask = async () => {
  const asked = request(url, { method, headers }).end(data)
  const [answer] = await once(asked, 'response')
  return text(answer)
}

/** Who pastes a call reads the phone when the message is there. */
const isPhone = url.includes('/messages?to=')
const patienceMs = 30_000
let answer = await ask()
for (const giveUpAt = Date.now() + patienceMs; isPhone && answer.trim() === '[]' && Date.now() < giveUpAt; ) {
  await new Promise((resolve) => setTimeout(resolve, 100))
  answer = await ask()
}
process.stdout.write(answer)
