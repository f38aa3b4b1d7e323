/** A database with TLS: what each sslmode checks in its certificate, and the error if the check fails. */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createSecureContext, TLSSocket } from 'node:tls'
import { TLS_CERTIFICATE, TLS_KEY } from './channels/loopback-tls.ts'
import { runWords } from './cli-support.ts'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import { adminToken, testMasterKeys } from './harness/node.ts'

/** The only address in its certificate. */
const named = '127.0.0.1'
const unnamed = '127.0.0.2'

const sockets = new Set<Socket>()
const warnings: string[] = []
const hear = ({ message }: Error) => warnings.push(message)
let database: TestDatabase
let folder: string
let authority: string
const relays: Server[] = []

/** A TLS proxy that starts as PostgreSQL does: it answers the request for TLS with one byte, then TLS begins. */
async function startTlsBefore(url: URL, host: string): Promise<URL> {
  const secureContext = createSecureContext({ key: TLS_KEY, cert: TLS_CERTIFICATE })
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
    return socket
  }
  const relay = createServer((socket) => {
    keep(socket).once('data', () => {
      socket.pause()
      socket.write('S')
      const secure = keep(new TLSSocket(socket, { isServer: true, secureContext }))
      const server = keep(connect(Number(url.port), url.hostname))
      secure.pipe(server).pipe(secure)
    })
  })
  relays.push(relay)
  await new Promise<void>((resolve) => relay.listen(0, host, resolve))
  const { port } = relay.address() as AddressInfo
  return Object.assign(new URL(url), { host: `${host}:${port}` })
}

before(async () => {
  process.on('warning', hear)
  database = await createTestDatabase()
  folder = await mkdtemp(join(tmpdir(), 'countersign-tls-'))
  authority = join(folder, 'ca.crt')
  await writeFile(authority, TLS_CERTIFICATE)
})
after(async () => {
  process.off('warning', hear)
  for (const socket of sockets) socket.destroy()
  for (const relay of relays) relay.close()
  await database?.close()
  await rm(folder, { recursive: true, force: true })
})

const run = (words: readonly string[], url: URL, parameters: Record<string, string>) => {
  const asked = new URL(url)
  for (const [name, value] of Object.entries(parameters)) asked.searchParams.set(name, value)
  return runWords(words, {
    DATA_DIR: folder,
    DATABASE_URL: asked.href,
    MASTER_KEY: testMasterKeys.secrets[0].toString('base64'),
    ADMIN_TOKEN: adminToken,
  })
}

describe('a database behind a certificate of one’s own authority', () => {
  let url: URL
  before(async () => {
    url = await startTlsBefore(new URL(database.url), named)
  })

  it('is used encrypted with require, and trusted with verify-ca and verify-full where sslrootcert names the authority', async () => {
    assert.equal((await run(['migrate'], url, { sslmode: 'require' })).code, 0)
    for (const sslmode of ['require', 'verify-ca', 'verify-full']) {
      const said = await run(['operators'], url, { sslmode, sslrootcert: authority })
      assert.deepEqual([said.code, said.text], [0, 'There is no operator.'], sslmode)
    }
    assert.deepEqual(
      warnings.filter((text) => /SSL/.test(text)),
      [],
      'the driver warns of nothing',
    )
  })

  it('is away with verify-full alone, and every command says that it is the certificate, and what to set', async () => {
    for (const command of ['operators', 'migrate', 'doctor']) {
      const said = await run([command], url, { sslmode: 'verify-full' })
      assert.equal(said.code, 3, said.text)
      assert.match(said.text, /its certificate is of an authority that is not known here/)
      assert.match(said.text, /Set sslrootcert in DATABASE_URL/)
    }
  })

  it('is checked for its name with verify-full, and not with verify-ca', {
    skip: process.platform !== 'linux' && 'this machine has one loopback address',
  }, async () => {
    const elsewhere = await startTlsBefore(new URL(database.url), unnamed)
    const loose = await run(['operators'], elsewhere, { sslmode: 'verify-ca', sslrootcert: authority })
    assert.equal(loose.code, 0, loose.text)
    const strict = await run(['operators'], elsewhere, { sslmode: 'verify-full', sslrootcert: authority })
    assert.equal(strict.code, 3)
    assert.match(strict.text, /its certificate is for another name/)
  })
})

it('a database without TLS is away where sslmode asks for it, and the mode is named', async () => {
  for (const command of ['operators', 'migrate', 'doctor']) {
    const said = await run([command], new URL(database.url), { sslmode: 'require' })
    assert.equal(said.code, 3, said.text)
    assert.match(said.text, /it does not speak TLS, which sslmode asks for/)
  }
})

describe('what an address says of TLS is checked before anybody connects', () => {
  const wrong: readonly (readonly [string, Record<string, string>, RegExp])[] = [
    ['a mode that there is not', { sslmode: 'bogus' }, /^DATABASE_URL: sslmode must be one of .*"bogus"/],
    ['one that falls back to none', { sslmode: 'prefer' }, /^DATABASE_URL: sslmode must be one of/],
    ['verify-ca of no authority', { sslmode: 'verify-ca' }, /^DATABASE_URL: .* needs sslrootcert/],
    ['a missing file', { sslrootcert: '/nope.crt' }, /\/nope\.crt of sslrootcert cannot be read \(ENOENT\)/],
    ['a file that is none', { sslrootcert: '/dev/null' }, /of sslrootcert is not a certificate in PEM/],
  ]
  for (const [what, parameters, says] of wrong) {
    it(what, async () => {
      const said = await run(['operators'], new URL('postgresql://x:secret@127.0.0.1:1/x'), parameters)
      assert.equal(said.code, 2, said.text)
      assert.match(said.text, says)
      assert.doesNotMatch(said.text, /secret/)
    })
  }
})
