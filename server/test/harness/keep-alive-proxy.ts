/** A typical proxy in front of several nodes: it keeps connections, polls /readyz, and never retries a call. */
import assert from 'node:assert/strict'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'

const lookMs = 50

export class KeepAliveProxy {
  readonly #agent = new Agent({ keepAlive: true })
  readonly #backends = new Map<string, { isReady: boolean }>()
  readonly #server = createServer((incoming, outgoing) => this.#forward(incoming, outgoing))
  readonly #looking = setInterval(() => this.#look(), lookMs)
  #next = 0
  /** Calls that failed because no backend was ready, or because it refused or closed the connection. */
  readonly lost: string[] = []

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    const address = this.#server.address()
    assert.ok(address && typeof address === 'object')
    return `http://127.0.0.1:${address.port}`
  }

  add(baseUrl: string): void {
    this.#backends.set(baseUrl, { isReady: false })
    this.#look()
  }

  remove(baseUrl: string): void {
    this.#backends.delete(baseUrl)
  }

  isReady(baseUrl: string): boolean {
    return this.#backends.get(baseUrl)?.isReady ?? false
  }

  async close(): Promise<void> {
    clearInterval(this.#looking)
    this.#agent.destroy()
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #look(): void {
    for (const [baseUrl, backend] of this.#backends) {
      const say = (isReady: boolean) => {
        backend.isReady = isReady
      }
      request(`${baseUrl}/readyz`, (answer) => {
        answer.resume()
        say(answer.statusCode === 200)
      })
        .on('error', () => say(false))
        .end()
    }
  }

  #forward(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const ready = [...this.#backends].filter(([, { isReady }]) => isReady).map(([baseUrl]) => baseUrl)
    const baseUrl = ready[this.#next++ % ready.length]
    const lose = (why: string) => {
      this.lost.push(why)
      if (!outgoing.headersSent) outgoing.writeHead(502)
      outgoing.end()
    }
    if (!baseUrl) {
      lose('no backend is ready')
      return
    }
    const { method, headers } = incoming
    const forwarded = request(`${baseUrl}${incoming.url}`, { agent: this.#agent, method, headers })
    forwarded.on('error', (error) => lose(error.message))
    forwarded.on('response', (answer) => {
      // Headers about the backend's connection are not for the caller.
      const { connection: _, 'keep-alive': __, ...rest } = answer.headers
      outgoing.writeHead(answer.statusCode ?? 502, rest)
      answer.pipe(outgoing)
    })
    incoming.pipe(forwarded)
  }
}
