/** A request that arrives byte by byte, which no idle timeout ends. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, it } from 'node:test'
import { startService } from './harness/service.ts'

const { node, close } = await startService()
after(close)

it('a request has thirty seconds to arrive', async () => {
  const { hostname, port } = new URL(node.baseUrl)
  const startedMs = performance.now()
  const client = connect(Number(port), hostname, () =>
    client.write('GET /healthz HTTP/1.1\r\nhost: x\r\nx-long: '),
  )
  const trickle = setInterval(() => client.write('x'), 1_000)
  try {
    assert.match(await text(client), /^HTTP\/1\.1 408 /)
    const tookMs = performance.now() - startedMs
    assert.ok(tookMs > 29_000 && tookMs < 45_000, String(tookMs))
  } finally {
    clearInterval(trickle)
    client.destroy()
  }
})
