/** Stopping when a parent process accepts connections and hands them on. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { it, type TestContext } from 'node:test'
import Fastify from 'fastify'
import { stopPromptly } from './stop.ts'

async function listen(test: TestContext, untilHandedOn: () => Promise<unknown>) {
  const server = Fastify({ return503OnClosing: false })
  server.get('/', async () => 'here')
  stopPromptly(server, { isClosing: () => true, untilHandedOn })
  const url = await server.listen({ host: '127.0.0.1', port: 0 })
  test.after(() => server.close())
  return { server, port: Number(new URL(url).port) }
}

it('whoever the parent has accepted is let in and answered before the port closes', async (test) => {
  const answers: Promise<string>[] = []
  const { server, port } = await listen(test, async () => {
    if (answers.length === 3) return
    const socket = connect(port, '127.0.0.1').setEncoding('utf8')
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    answers.push(once(socket, 'data').then(([text]) => String(text).slice(0, 12)))
    await once(server.server, 'connection')
  })
  await server.close()
  assert.deepEqual(await Promise.all(answers), Array(3).fill('HTTP/1.1 200'))
})

for (const [name, untilHandedOn] of [
  ['says nothing', () => new Promise(() => {})],
  ['is gone', () => Promise.reject(new Error('gone'))],
] as const) {
  it(`a parent that ${name} does not keep a process from stopping`, async (test) => {
    const { server } = await listen(test, untilHandedOn)
    await server.close()
    assert.equal(server.server.listening, false)
  })
}
