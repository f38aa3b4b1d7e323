import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { deadlineMs, keepDoors } from '../../test/harness/doors.ts'

const head = 'HTTP/1.1 200 OK\r\n'

describe('the door', { timeout: 240_000 }, () => {
  const { closers, openDoor, listen, serve, serveRaw, every, timed, closed, inTime } = keepDoors()

  it('posts the very bytes and headers, and brings back status, start of the answer and Retry-After', async () => {
    const seen: { body: string; header: string | undefined }[] = []
    const url = await serve((request, response) => {
      let body = ''
      request.on('data', (chunk) => {
        body += chunk
      })
      request.on('end', () => {
        seen.push({ body, header: String(request.headers['x-one']) })
        response.writeHead(503, { 'retry-after': '7' }).end('later\0 please')
      })
    })
    const result = await openDoor().post(url, '{"ä":1}', { 'x-one': 'two' })
    assert.deepEqual(result, {
      status: 503,
      retryAfter: '7',
      answer: 'later please',
      error: null,
      isCutOff: false,
    })
    assert.deepEqual(seen, [{ body: '{"ä":1}', header: 'two' }])
  })

  it('follows no redirect', async () => {
    let isFollowed = false
    const target = await serve((_request, response) => {
      isFollowed = true
      response.end()
    })
    for (const status of [301, 302, 303, 307, 308]) {
      const url = await serve((_request, response) => response.writeHead(status, { location: target }).end())
      assert.equal((await openDoor().post(url, '{}', {})).status, status)
    }
    assert.equal(isFollowed, false)
  })

  it('gives up on an endpoint that says nothing, and closes its connection', async () => {
    const { url, sockets } = await serveRaw(() => {})
    const { ms, status, error } = await timed(url)
    assert.deepEqual([status, error], [null, 'no answer within 1.5 s'])
    inTime(ms)
    await closed(sockets)
  })

  it('gives up on headers that never end, fast or slow', async () => {
    const slow = await serveRaw((socket) => {
      socket.write(head)
      every(socket, 20, () => socket.write('x-more: 1\r\n'))
    })
    const fast = await serveRaw((socket) => {
      socket.write(head)
      every(socket, 1, () => socket.write(`x-more: ${'1'.repeat(8_000)}\r\n`))
    })
    for (const { url } of [slow, fast]) {
      const { ms, status } = await timed(url)
      assert.equal(status, null)
      inTime(ms)
    }
  })

  it('gives up on interim answers that never end', async () => {
    const { url } = await serveRaw((socket) =>
      every(socket, 5, () => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n')),
    )
    const { ms, status } = await timed(url)
    assert.equal(status, null)
    inTime(ms)
  })

  it('goes by the status line, whatever becomes of the body', async () => {
    const bodies: Record<string, (socket: Socket) => void> = {
      trickles: (socket) => {
        socket.write(`${head}transfer-encoding: chunked\r\n\r\n`)
        every(socket, 20, () => socket.write('1\r\nx\r\n'))
      },
      'never ends': (socket) => void socket.write(`${head}content-length: 10\r\n\r\nabc`),
      'is shorter than said': (socket) => void socket.end(`${head}content-length: 1000\r\n\r\nabc`),
      'is longer than said': (socket) => void socket.end(`${head}content-length: 2\r\n\r\nabcdef`),
      'is reset': (socket) => {
        socket.write(`${head}content-length: 1000\r\n\r\nabc`, () =>
          setTimeout(() => socket.resetAndDestroy(), 20),
        )
      },
      'is no body at all': (socket) => void socket.write(`${head}\r\n`),
    }
    for (const [name, act] of Object.entries(bodies)) {
      const { url, sockets } = await serveRaw(act)
      const { ms, status } = await timed(url)
      assert.equal(status, 200, name)
      inTime(ms)
      await closed(sockets)
    }
  })

  it('reads little of a hundred megabytes, and keeps two kibibytes', async () => {
    let written = 0
    const { url } = await serveRaw((socket) => {
      socket.write(`${head}content-length: 104857600\r\n\r\n`)
      const block = Buffer.alloc(65_536, 'x')
      const pump = () => {
        while (written < 104_857_600 && !socket.destroyed) {
          written += block.length
          if (!socket.write(block)) return void socket.once('drain', pump)
        }
      }
      pump()
    })
    const { status, answer, ms } = await timed(url, openDoor())
    assert.equal(status, 200)
    assert.equal(answer?.length, 2_048)
    inTime(ms)
    assert.ok(written < 16_000_000, `what fits into the buffers between, not more: ${written}`)
  })

  it('fails without an exception when nobody listens, or when what answers is not HTTP', async () => {
    const server = createTcpServer()
    const port = await listen(server)
    await new Promise((resolve) => server.close(resolve))
    assert.match((await openDoor().post(`http://127.0.0.1:${port}/`, '{}', {})).error ?? '', /ECONNREFUSED/)
    for (const words of ['SSH-2.0-OpenSSH\r\n', 'HTTP/1.1 999999 Odd\r\n\r\n', '\0\0\0']) {
      const { url } = await serveRaw((socket) => socket.end(words))
      const { status, error } = await openDoor().post(url, '{}', {})
      assert.equal(status, null)
      assert.match(error ?? '', /the connection failed/)
    }
    const { url } = await serveRaw((socket) => socket.resetAndDestroy())
    const { error, isCutOff } = await openDoor().post(url, '{}', {})
    assert.match(error ?? '', /the connection failed/)
    assert.equal(isCutOff, false, 'a new connection that is reset is the endpoint’s fault')
  })

  it('lets calls to one host not wait for each other', async () => {
    let isQuickAnswered = false
    const held: ServerResponse[] = []
    const url = await serve((request, response) => {
      if (request.url === '/quick' || isQuickAnswered) response.end()
      else held.push(response)
    })
    const door = openDoor()
    const hanging = Array.from({ length: 40 }, () => door.post(url, '{}', {}))
    assert.equal((await door.post(`${url}quick`, '{}', {})).status, 200)
    isQuickAnswered = true
    assert.notEqual(held.length, 0)
    for (const response of held) response.end()
    for (const { status } of await Promise.all(hanging)) assert.equal(status, 200)
  })

  it('uses a connection once more, by one call at a time', async () => {
    let connections = 0
    const server = createServer((_request, response) => response.end('ok'))
    server.on('connection', () => connections++)
    const url = `http://127.0.0.1:${await listen(server)}/`
    closers.push(async () => server.closeAllConnections())
    const door = openDoor()
    for (let count = 0; count < 5; count++) assert.equal((await door.post(url, '{}', {})).status, 200)
    assert.equal(connections, 1)
    await Promise.all([1, 2, 3].map(() => door.post(url, '{}', {})))
    assert.equal(connections, 3)
  })

  it('takes another connection when a kept one was closed meanwhile, and is not told of it', async () => {
    let calls = 0
    const { url, sockets } = await serveRaw((socket) => {
      calls++
      // Closes the connection without announcing it.
      socket.end(`${head}content-length: 0\r\n\r\n`)
    })
    const door = openDoor()
    for (let count = 0; count < 20; count++) assert.equal((await door.post(url, '{}', {})).status, 200)
    assert.equal(calls, 20)
    await closed(sockets)
  })

  it('posts once, also where a kept connection is cut off under it', async () => {
    const sockets: Socket[] = []
    let calls = 0
    const server = createTcpServer((socket) => {
      sockets.push(socket)
      socket.on('error', () => {})
      socket.on('data', () => {
        if (++calls === 2) socket.resetAndDestroy()
        else socket.write(`${head}content-length: 0\r\n\r\n`)
      })
    })
    const url = `http://127.0.0.1:${await listen(server)}/`
    closers.push(async () => {
      for (const socket of sockets) socket.destroy()
    })
    const door = openDoor()
    const ends: (number | boolean | null)[][] = []
    for (let count = 0; count < 3; count++) {
      const { status, isCutOff } = await door.post(url, '{}', {})
      ends.push([status, isCutOff])
    }
    assert.deepEqual(ends, [
      [200, false],
      [null, true],
      [200, false],
    ])
    assert.deepEqual([sockets.length, calls], [2, 3])
  })

  it('keeps no connection whose answer it did not read to the end', async () => {
    const { url, sockets } = await serveRaw((socket) => {
      socket.write(`${head}content-length: 99999\r\n\r\n${'x'.repeat(20_000)}`)
    })
    const door = openDoor({ deadlineMs })
    assert.equal((await door.post(url, '{}', {})).status, 200)
    await closed(sockets)
    assert.equal((await door.post(url, '{}', {})).status, 200)
  })
})
