import assert from 'node:assert/strict'
import { type AddressInfo, createServer } from 'node:net'
import { describe, it } from 'node:test'
import { ConfigError } from './config-error.ts'
import { assertPortFree } from './free-port.ts'

describe('what is to be listened on', () => {
  it('is refused with its own variable where another has the port', async () => {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as AddressInfo
    for (const variable of ['PORT', 'BOUNCE_PORT'])
      await assert.rejects(assertPortFree('127.0.0.1', port, variable), {
        message: `port ${port} is taken. Set ${variable} to a free one.`,
      })
    other.close()
  })

  // The second address is reserved for documentation, so no machine has it.
  for (const host of ['not a host', '192.0.2.1']) {
    it(`names HOST where that is "${host}", and is worth another try: an address may come later`, async () => {
      await assert.rejects(assertPortFree(host, 0, 'PORT'), (error) => {
        assert.ok(error instanceof Error && !(error instanceof ConfigError))
        assert.match(error.message, new RegExp(`^HOST=${host} is not an address of this machine`))
        return true
      })
    })
  }
})
