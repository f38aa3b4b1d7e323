/**
 * The least that could be called a send or a verify: it reads the body and answers. With CARRIER it hands a message to
 * that address with our HTTP client; with KEPT_IN it first commits a row, in batches that form while another is being
 * written.
 */
import fastify from 'fastify'
import pg from 'pg'
import { Pool } from 'undici'

const { CARRIER, KEPT_IN } = process.env
const carrier = CARRIER && new Pool(CARRIER, { connections: 50 })
const text = encodeURIComponent('123456 is your code.')
const headers = { 'content-type': 'application/x-www-form-urlencoded' }

async function handOn(recipient) {
  const body = `To=${encodeURIComponent(recipient)}&From=relay&Body=${text}`
  const answer = await carrier.request({ method: 'POST', path: '/Messages.json', headers, body })
  await answer.body.text()
}

const database = KEPT_IN && new pg.Client({ connectionString: KEPT_IN })
await database?.connect()
await database?.query(
  'create table if not exists kept (id bigserial primary key, recipient text not null, sent_at timestamptz)',
)

let waiting = []
let isWriting = false

const keep = (recipient) =>
  new Promise((resolve) => {
    waiting.push({ recipient, resolve })
    if (!isWriting) void writeWaiting()
  })

async function writeWaiting() {
  isWriting = true
  while (waiting.length > 0) {
    const rows = waiting
    waiting = []
    const values = [rows.map(({ recipient }) => recipient)]
    await database.query({ name: 'keep', text: insert, values })
    for (const { resolve } of rows) resolve()
  }
  isWriting = false
}

const insert =
  'insert into kept (recipient, sent_at) select recipient, clock_timestamp() from unnest($1::text[]) recipient'

const server = fastify()
server.post('/send', async ({ body: { recipient } }) => {
  if (database) await keep(recipient)
  if (carrier) await handOn(recipient)
  return { status: 'sent' }
})
await server.listen({ host: '127.0.0.1', port: 0 })
process.send({ port: server.server.address().port })
process.on('disconnect', () => process.exit(0))
