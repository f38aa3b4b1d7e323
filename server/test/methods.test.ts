/** Any method on any path gets a documented answer. */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Agent, type IncomingMessage, METHODS, request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type Operation, operations } from '@countersign/contract'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import { until } from './harness/fixtures.ts'
import { type Node, startNode } from './harness/node.ts'

const table = Object.values<Operation>(operations)
const filled = (path: string) => path.replaceAll(/\{\w+\}/g, 'x')
const methodsOf = (path: string) =>
  table.filter((operation) => operation.path === path).map(({ method }) => method)

/** The methods of each path; OPTIONS is the preflight request of paths that devices call. */
const known = new Map<string, readonly string[]>([
  ...table.map(({ path, access }): [string, string[]] => [
    filled(path),
    [...methodsOf(path), ...(access === 'key' ? ['OPTIONS'] : [])],
  ]),
  ['/', ['GET', 'HEAD']],
  ['/docs', ['GET', 'HEAD']],
  ['/docs/guide', ['GET', 'HEAD']],
  ['/docs/guide.md', ['GET', 'HEAD']],
  ['/docs/nothing', ['GET', 'HEAD']],
  ['/llms.txt', ['GET', 'HEAD']],
  ['/metrics', ['GET', 'HEAD']],
  ['/api/v1/openapi.json', ['GET', 'HEAD']],
  ['/.well-known/jwks.json', ['GET', 'HEAD']],
  ['/healthz', ['GET', 'HEAD']],
  ['/readyz', ['GET', 'HEAD']],
  ['/hooks/prv_x', ['GET', 'POST']],
  ['/dashboard', ['GET', 'HEAD']],
  ['/dashboard/apps', ['GET', 'HEAD']],
])
const unknown = ['/nothing', '/api/v1/nothing', '/api/v1', '/manage/v1/nothing/at/all', '/hooks', '/docsx']

interface Heard {
  readonly status: number
  readonly allow: string | undefined
  readonly type: string | undefined
  readonly location: string | undefined
  readonly text: string
}

const heardOf = ({ statusCode = 0, headers }: IncomingMessage, text: string): Heard => ({
  status: statusCode,
  allow: headers.allow,
  type: headers['content-type'],
  location: headers.location,
  text,
})

describe('a method', () => {
  let database: TestDatabase
  let node: Node
  let dashboardFolder = ''
  const agent = new Agent({ keepAlive: true, maxSockets: 4 })

  before(async () => {
    database = await createTestDatabase()
    dashboardFolder = await mkdtemp(join(tmpdir(), 'countersign-dashboard-'))
    await writeFile(join(dashboardFolder, 'index.html'), '<!doctype html><title>A dashboard</title>')
    node = await startNode(database.url, { dashboardFolder })
  })

  after(async () => {
    agent.destroy()
    await node?.close()
    await database?.close()
    await rm(dashboardFolder, { recursive: true, force: true })
  })

  /** Not fetch, which refuses to send some of them. */
  const ask = (method: string, path: string) =>
    new Promise<Heard>((resolve, reject) => {
      const asked = request(`${node.baseUrl}${path}`, { method, agent }, (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (part: string) => {
          text += part
        })
        answer.on('end', () => resolve(heardOf(answer, text)))
      })
      // The answer to CONNECT comes with a socket, even if it is a refusal.
      asked.on('connect', (answer, socket, head) => {
        socket.destroy()
        resolve(heardOf(answer, head.toString()))
      })
      asked.on('error', reject)
      asked.end()
    })

  const assertError = ({ text }: Heard, method: string) => {
    if (method === 'HEAD') return assert.equal(text, '')
    const { error, request_id: requestId } = JSON.parse(text)
    assert.deepEqual(
      [error.type, typeof error.message, typeof requestId],
      ['HTTPException', 'string', 'string'],
    )
  }

  for (const method of METHODS.filter((name) => name !== 'CONNECT')) {
    it(`${method} is 405 with Allow on every path that does not take it, and 404 where there is nothing`, async () => {
      for (const [path, methods] of known) {
        const answer = await ask(method, path)
        const what = `${method} ${path}: ${answer.text.slice(0, 100)}`
        if (methods.includes(method)) {
          assert.ok(answer.status !== 405 && answer.status < 500, what)
          continue
        }
        assert.equal(answer.status, 405, what)
        const listed = methods.filter((name) => name !== 'OPTIONS')
        assert.deepEqual([...(answer.allow?.split(', ') ?? [])].sort(), [...listed].sort(), what)
        assertError(answer, method)
      }
      for (const path of unknown) {
        const answer = await ask(method, path)
        assert.equal(answer.status, 404, `${method} ${path}`)
        assertError(answer, method)
      }
    })
  }

  it('HEAD tells of each page what GET would, and sends none of it', async () => {
    const headOf = ({ status, type, location }: Heard) => ({ status, type, location })
    for (const [path] of [...known].filter(([, methods]) => methods.includes('HEAD'))) {
      const [head, get] = [await ask('HEAD', path), await ask('GET', path)]
      assert.deepEqual({ ...headOf(head), text: head.text }, { ...headOf(get), text: '' }, path)
    }
  })

  /** Writes what Node's own client would not, and reads until the server closes the connection. */
  const speak = (text: string, rest = '') =>
    new Promise<string>((resolve, reject) => {
      const { hostname, port } = new URL(node.baseUrl)
      const socket = connect(Number(port), hostname, () => socket.write(text, () => socket.write(rest)))
      let heard = ''
      socket.setEncoding('utf8').on('data', (part: string) => {
        heard += part
      })
      socket.on('close', () => resolve(heard)).on('error', reject)
    })

  const unknownMethods = ['FOO', 'get', 'Post', 'G', 'GETT', "A!#$%&'*+-.^_`|~9z", 'X'.repeat(20_000)]
  for (const method of unknownMethods)
    it(`${method.slice(0, 20)}, which Node cannot read, is 405 with Allow too, and 404 where there is nothing`, async () => {
      const head = 'HTTP/1.1\r\nhost: x\r\nX-Request-Id: chosen-by-caller'
      for (const [path, allow] of [
        ['/api/v1/otp/send', 'POST'],
        ['/manage/v1/companies', 'POST, GET'],
        ['/healthz', 'GET, HEAD'],
        ['http://x/docs?a=b', 'GET, HEAD'],
        ['/nothing', undefined],
      ] as const) {
        const heard = await speak(`${method} ${path} ${head}\r\ncontent-length: 9\r\n\r\n`, '{"a": 1}\n')
        const [top = '', text = ''] = heard.split('\r\n\r\n')
        assert.match(top, allow ? /^HTTP\/1\.1 405 / : /^HTTP\/1\.1 404 /, path)
        assert.equal(/^allow: (.+)\r$/im.exec(top)?.[1], allow)
        assert.match(top, /^connection: close\r?$/im)
        const { error, request_id: requestId } = JSON.parse(text)
        assert.deepEqual([error.type, requestId], ['HTTPException', 'chosen-by-caller'])
        assert.equal(error.details.allow, allow)
      }
      const twilio = await speak(`${method} /twilio/v2/Services ${head}\r\n\r\n`)
      assert.match(twilio, /^HTTP\/1\.1 405 [\s\S]*\{"code":20004,/)
    })

  it('what is no method is 400, and every connection is closed', async () => {
    for (const line of ['G(T / HTTP/1.1', 'GE T / HTTP/1.1', ' / HTTP/1.1', 'FOO /', 'FOO / HTTP/3', 'hello'])
      assert.match(await speak(`${line}\r\nhost: x\r\n\r\n`), /^HTTP\/1\.1 400 [\s\S]*"HTTPException"/, line)
    agent.destroy()
    const open = () =>
      new Promise<number>((resolve) =>
        node.app.server.server.getConnections((_error, count) => resolve(count)),
      )
    await until('every connection to be closed', async () => (await open()) === 0)
  })

  it('CONNECT is 405 and not a hang-up', async () => {
    const answer = await ask('CONNECT', '/healthz')
    assert.equal(answer.status, 405)
    assert.match(answer.allow ?? '', /GET/)
    assertError(answer, 'CONNECT')
  })
})
