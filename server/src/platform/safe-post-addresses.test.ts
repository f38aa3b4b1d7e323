import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { TLS_CERTIFICATE, TLS_KEY } from '../../test/channels/loopback-tls.ts'
import { deadlineMs, keepDoors } from '../../test/harness/doors.ts'

const refused = 'the address is not a public one'

describe('the door', { timeout: 240_000 }, () => {
  const { openDoor, listen, serve, timed, inTime } = keepDoors()

  it('reaches an allowed address under IPv6', async () => {
    const server = createServer((_request, response) => response.end())
    const port = await listen(server, '::1')
    assert.equal((await timed(`http://[::1]:${port}/`)).status, 200)
    assert.equal((await timed(`http://[::1]:${port}/`, openDoor({ allowedRanges: [] }))).error, refused)
  })

  const hosts = [
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '017700000001',
    '127.0.0.1.',
    '0',
    '0.0.0.0',
    '169.254.169.254',
    '2852039166',
    '0xa9.0xfe.0xa9.0xfe',
    '10.0.0.1',
    '012.0.0.1',
    '172.16.0.1',
    '192.168.0.1',
    '100.64.0.1',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[fe80::1]',
    '[fd00::1]',
    '[0:0:0:0:0:0:0:1]',
    '１２７.0.0.1',
    '127。0。0。1',
  ]
  it('refuses private addresses in every spelling, at saving and at sending', async () => {
    const door = openDoor({ allowedRanges: [], allowsHttp: false })
    for (const host of hosts) {
      const url = `https://${host}/hook`
      assert.equal(await door.findProblem(url), refused, host)
      assert.deepEqual(
        await door.post(url, '{}', {}),
        { status: null, retryAfter: undefined, answer: null, error: refused, isCutOff: false },
        host,
      )
    }
  })

  it('refuses what is not https, carries a user, or is no URL', async () => {
    const door = openDoor({
      allowedRanges: [],
      allowsHttp: false,
      resolve: async () => [{ address: '8.8.8.8', family: 4 }],
    })
    for (const url of [
      'http://example.com',
      'ftp://example.com',
      'file:///etc/passwd',
      'gopher://example.com',
      'javascript:1',
      'https://user@example.com',
      'https://user:word@example.com',
      'https://:word@example.com',
      'https://',
      'example.com',
      '',
      '//example.com',
    ]) {
      assert.ok(await door.findProblem(url), url)
      assert.equal((await door.post(url, '{}', {})).status, null, url)
    }
    assert.equal(await door.findProblem('https://example.com:8443/hook?a=b'), null)
    assert.equal(await openDoor().findProblem('http://127.0.0.1:1/'), null, 'the sandbox may')
  })

  it('refuses a name of which one record is private, at saving and at sending', async () => {
    const mixed = [
      { address: '8.8.8.8', family: 4 },
      { address: '10.0.0.1', family: 4 },
    ]
    for (const records of [
      mixed,
      mixed.toReversed(),
      [{ address: '::ffff:10.0.0.1', family: 6 }],
      [{ address: '169.254.169.254', family: 4 }],
    ]) {
      const door = openDoor({ allowedRanges: [], allowsHttp: false, resolve: async () => records })
      assert.equal(await door.findProblem('https://example.com'), refused)
      assert.equal((await door.post('https://example.com', '{}', {})).error, refused)
    }
  })

  it('connects to the address that was checked, though the name changes its mind each time it is asked', async () => {
    let calls = 0
    const url = new URL(
      await serve((_request, response) => {
        calls++
        response.end()
      }),
    )
    let asked = 0
    const answers = ['127.0.0.1', '127.0.0.2']
    const door = openDoor({
      allowedRanges: ['127.0.0.1/32'],
      resolve: async () => [{ address: answers[asked++ % 2] ?? '', family: 4 }],
    })
    url.hostname = 'rebinding.example'
    assert.equal(await door.findProblem(url.href), null, 'good when it is saved')
    assert.equal((await door.post(url.href, '{}', {})).error, refused, 'bad when it is called')
    assert.equal((await door.post(url.href, '{}', {})).status, 200)
    assert.equal(asked, 3, 'one question for each connection, and its answer is the one used')
    assert.equal(calls, 1)
  })

  it('lets a name be saved that has no address yet, and fails a call to it in bounded time', async () => {
    for (const resolve of [
      () => Promise.reject(new Error('ENOTFOUND')),
      async () => [],
      () => new Promise<never>(() => {}),
    ]) {
      const door = openDoor({ resolve, deadlineMs })
      assert.equal(await door.findProblem('https://example.com'), null)
      const { ms, status } = await timed('https://example.com', door)
      assert.equal(status, null)
      inTime(ms)
    }
  })

  it('resolves the names of every account itself, and lets only the operator’s lead anywhere', async () => {
    const address = { address: '10.0.0.1', family: 4 }
    const door = openDoor({ allowedRanges: [], allowsHttp: false, resolve: async () => [address] })
    const place = { host: 'carrier.example', isHttp: false }
    const found = (isOperators: boolean) =>
      promisify(door.accountLookup({ ...place, isOperators }))('carrier.example', { all: true })
    assert.deepEqual(await found(true), [address])
    await assert.rejects(found(false), { message: refused })
  })

  it('says what is wrong with a name or a certificate', async () => {
    const failing = (code: string) =>
      openDoor({ resolve: () => Promise.reject(Object.assign(new Error(code), { code })) })
    const said = async (door: ReturnType<typeof openDoor>, url: string) =>
      (await door.post(url, '{}', {})).error
    assert.equal(
      await said(failing('ENOTFOUND'), 'https://nobody.example/'),
      'the connection failed: the name has no address (ENOTFOUND)',
    )
    const server = createTlsServer({ key: TLS_KEY, cert: TLS_CERTIFICATE }, (_request, response) =>
      response.end(),
    )
    assert.equal(
      await said(openDoor(), `https://127.0.0.1:${await listen(server)}/`),
      'the connection failed: the certificate is self-signed (DEPTH_ZERO_SELF_SIGNED_CERT)',
    )
  })
})
