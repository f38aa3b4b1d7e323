/** `channel_binding=require` in the address of a database: nobody in between gets anything that proves the password. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createSecureContext, TLSSocket } from 'node:tls'
import pg from 'pg'
import { openDatabase } from '../src/platform/database.ts'
import { startThrowawayDatabase } from '../src/platform/embedded-database.ts'
import { TLS_CERTIFICATE, TLS_KEY } from './channels/loopback-tls.ts'
import { runWords } from './cli-support.ts'
import { adminToken, testMasterKeys } from './harness/node.ts'

let server: Awaited<ReturnType<typeof startThrowawayDatabase>>
let folder: string
const closers: (() => void)[] = []

before(async () => {
  server = await startThrowawayDatabase()
  folder = await mkdtemp(join(tmpdir(), 'countersign-binding-'))
  assert.equal((await run(server.url, 'sslmode=disable', 'migrate')).code, 0)
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  // PostgreSQL writes the files itself, since it may run as another user, who must own its key.
  for (const [file, text] of [
    ['server.crt', TLS_CERTIFICATE],
    ['server.key', TLS_KEY],
  ]) {
    const lines = pg.escapeLiteral(String(text))
    await client.query(
      `copy (select unnest(string_to_array(${lines}, chr(10)))) to program 'umask 077; cat > ${file}'`,
    )
  }
  await client.query('alter system set ssl = on')
  await client.query('select pg_reload_conf()')
  await client.end()
})
after(async () => {
  for (const close of closers) close()
  await server?.close()
  await rm(folder, { recursive: true, force: true })
})

/** Begins TLS as PostgreSQL does, with a certificate of its own. */
async function startBetween(onSecure: (secure: TLSSocket) => void): Promise<string> {
  const secureContext = createSecureContext({ key: TLS_KEY, cert: TLS_CERTIFICATE })
  const between = createServer((socket: Socket) => {
    socket.on('error', () => socket.destroy())
    closers.push(() => socket.destroy())
    socket.once('data', () => {
      socket.pause()
      socket.write('S')
      const secure = new TLSSocket(socket, { isServer: true, secureContext })
      secure.on('error', () => secure.destroy())
      onSecure(secure)
    })
  })
  closers.push(() => between.close())
  await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve))
  const url = new URL(server.url)
  url.host = `127.0.0.1:${(between.address() as AddressInfo).port}`
  return url.href
}

const run = (url: string, parameters: string, word = 'operators') =>
  runWords([word], {
    DATA_DIR: folder,
    DATABASE_URL: `${url}?${parameters}`,
    MASTER_KEY: testMasterKeys.secrets[0].toString('base64'),
    ADMIN_TOKEN: adminToken,
  })

const strict = 'sslmode=require&channel_binding=require'

/** A message of PostgreSQL. */
function message(type: string, ...parts: (Buffer | string)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)))
  const length = Buffer.alloc(4)
  length.writeInt32BE(body.length + 4)
  return Buffer.concat([Buffer.from(type), length, body])
}
const number = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

describe('an address with channel_binding=require', () => {
  it('is connected to where PostgreSQL itself speaks TLS', async () => {
    const said = await run(server.url, strict)
    assert.deepEqual([said.code, said.text], [0, 'There is no operator.'])
  })

  it('is away behind a proxy that ends TLS, which the other values let through', async () => {
    const url = await startBetween((secure) => {
      const { hostname, port } = new URL(server.url)
      const inner = connect(Number(port), hostname)
      inner.on('error', () => inner.destroy())
      closers.push(() => inner.destroy())
      secure.pipe(inner).pipe(secure)
    })
    for (const word of ['operators', 'migrate', 'doctor']) {
      const said = await run(url, strict, word)
      assert.equal(said.code, 3, said.text)
      assert.match(said.text, /it does not offer channel binding/)
    }
    for (const binding of ['prefer', 'disable']) {
      assert.equal((await run(url, `sslmode=require&channel_binding=${binding}`)).code, 0, binding)
    }
    const database = openDatabase(`${url}?${strict}`, 4, () => {})
    await assert.rejects(database.query({ text: 'select 1' }), { errorName: 'UnavailableError' })
    await database.close()
  })

  for (const [what, asked] of [
    ['asks for the password in clear text', message('R', number(3))],
    ['asks for its MD5', message('R', number(5), 'salt')],
    ['offers SCRAM without binding', message('R', number(10), 'SCRAM-SHA-256\0\0')],
    ['asks for nothing', Buffer.concat([message('R', number(0)), message('Z', 'I')])],
    [
      'claims to have proven itself',
      Buffer.concat([message('R', number(12), 'v=x'), message('R', number(0)), message('Z', 'I')]),
    ],
  ] as const) {
    it(`says nothing to a server that ${what}`, async () => {
      const heard: Buffer[] = []
      const url = await startBetween((secure) => {
        secure.once('data', () => {
          secure.on('data', (bytes) => heard.push(bytes))
          secure.write(asked)
        })
      })
      const said = await run(url, strict)
      assert.notEqual(said.code, 0)
      assert.deepEqual(Buffer.concat(heard).toString(), '')
    })
  }
})
