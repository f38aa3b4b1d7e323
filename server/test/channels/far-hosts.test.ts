/** Hosts that are far away, and have addresses of a family that this machine cannot route. */
import assert from 'node:assert/strict'
import { type LookupFunction, type NetConnectOpts, Socket } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { smpp } from '../../src/channels/smpp/index.ts'
import { smtp } from '../../src/channels/smtp/index.ts'
import { openHttpClient } from '../../src/platform/http-client.ts'
import { createSafeDoor } from '../../src/platform/safe-post.ts'
import { mail } from './smtp-support.ts'
import { generousDeadline, recordingContext } from './support.ts'

const host = 'far.example'
const lookup: LookupFunction = (_host, _options, done) => done(new Error('it is far'), '')
const context = () => ({ ...recordingContext(), lookup })

/** Each of them opens a connection to the host. */
const callers = {
  'a webhook': async () => {
    const door = createSafeDoor({ allowedRanges: [], allowsHttp: false, resolve: async () => [] })
    await door.post(`https://${host}/`, '{}', {})
    await door.close()
  },
  'an account over HTTP': async () => {
    const http = openHttpClient(lookup)
    await http.send({ method: 'GET', url: `https://${host}/`, headers: {}, body: null }, generousDeadline())
    await http.close()
  },
  'an account over SMPP': () => openSmpp({}),
  'an account over SMPP and TLS': () => openSmpp({ tls: true }),
  'an account over SMTP': async () => {
    const settings = { host, port: 25, from: 'a@x.example' }
    const account = smtp.open(smtp.settings.parse(settings), context())
    await account.send(mail(), generousDeadline())
    await account.close()
  },
}

async function openSmpp(changes: object) {
  const settings = {
    host,
    port: 2775,
    system_id: 'acme',
    password: 'secret',
    source_addr: 'ACME',
    ...changes,
  }
  const account = smpp.open(smpp.settings.parse(settings), context())
  await account.close()
}

function watchConnections(test: TestContext): NetConnectOpts[] {
  const seen: NetConnectOpts[] = []
  const { connect: real } = Socket.prototype
  test.mock.method(Socket.prototype, 'connect', function (this: Socket, ...given: unknown[]) {
    seen.push([given[0]].flat()[0] as NetConnectOpts)
    return Reflect.apply(real, this, given)
  })
  return seen
}

describe('a host that is far away', () => {
  for (const [caller, call] of Object.entries(callers)) {
    // By default Node tries each address for 250 ms, and then fails with the error of the address that has no route.
    it(`has two seconds for each of its addresses to answer ${caller}`, async (test) => {
      const seen = watchConnections(test)
      await call()
      const [options] = seen.filter((one) => 'host' in one && one.host === host)
      assert.equal(options && 'lookup' in options && typeof options.lookup, 'function')
      assert.equal(
        options && 'autoSelectFamilyAttemptTimeout' in options && options.autoSelectFamilyAttemptTimeout,
        2_000,
      )
    })
  }
})
