import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type App, createApp, openApp, started } from './app.ts'
import { type Answer, refused } from './calls.ts'
import { addressListedAs, needs, useInstance } from './instance.ts'
import { newAddress, newAddress6, newEmail, newPhone } from './people.ts'

const instance = useInstance()

const malformed = [
  ...[
    '',
    ' ',
    'nonsense',
    '1.2.3',
    '1.2.3.4.5',
    '256.1.1.1',
    '1.2.3.-4',
    '1.2.3.4/24',
    '1.2.3.4:80',
    ' 86.1.2.3',
  ],
  ...[':::', '2a00::g', '2a00::1::2', '1:2:3:4:5:6:7', '[2a00::1]', '2a00::1/64', 'localhost'],
]

/** From IANA's registries of special-purpose addresses. */
const privateOrReserved = [
  ...['10.0.0.1', '172.16.0.1', '192.168.1.1', '127.0.0.1', '169.254.1.1', '0.0.0.0', '100.64.0.1'],
  ...['192.0.2.1', '198.51.100.1', '203.0.113.1', '198.18.0.1', '224.0.0.1', '240.0.0.1', '255.255.255.255'],
  ...['::1', '::', 'fe80::1', 'fc00::1', 'fd12:3456::1', 'ff02::1', '2001:db8::1', '::ffff:10.0.0.1'],
]

const fewWithoutAddress = { limits: { app_without_ip: [{ max: 1, window_s: 600 }] } }
const mostSends = 400

const sendFrom = ({ server }: App, clientIp: string) =>
  server.send({ recipient: newEmail(), client_ip: clientIp })

/** Sends until one is refused for a limit, and counts those before it. */
async function sendUntilRefused(send: () => Promise<Answer>, most: number) {
  for (let passed = 0; passed < most; passed++) {
    const answer = await send()
    if (answer.status === 200) continue
    return { passed, ...refused(answer, 429, 'RateLimitExceededError') }
  }
  return assert.fail(`${most} sends passed`)
}

describe('4.1 POST /otp/send: client_ip', { concurrency: 4 }, () => {
  for (const clientIp of malformed) {
    test(`4.1 a malformed client_ip is 422: ${JSON.stringify(clientIp)}`, needs('app'), async () => {
      const app = await openApp(instance())
      assert.equal((await sendFrom(app, clientIp)).status, 422)
    })
  }

  test('4.1 a client_ip that is no string is 422', needs('app'), async () => {
    const { server } = await openApp(instance())
    for (const clientIp of [16_909_060, true, ['86.1.2.3'], {}]) {
      const { status } = await server.send({ recipient: newEmail(), client_ip: clientIp })
      assert.equal(status, 422, JSON.stringify(clientIp))
    }
  })

  test('4.1 IPv4 and IPv6 addresses are taken', needs('app'), async () => {
    const app = await openApp(instance())
    for (const clientIp of [newAddress(), newAddress6(), newAddress6().toUpperCase()]) {
      started(await sendFrom(app, clientIp))
    }
  })

  test('4.1 a private or reserved client_ip is no mistake', needs('settings'), async () => {
    const limits = { ip: [{ max: 200, window_s: 60 }], app_without_ip: [{ max: 100, window_s: 60 }] }
    const app = await createApp(instance(), { limits })
    for (const clientIp of privateOrReserved) started(await sendFrom(app, clientIp))
  })

  test('4.1 a private or reserved client_ip counts as absent', needs('settings'), async () => {
    const app = await createApp(instance(), fewWithoutAddress)
    started(await app.server.send({ recipient: newEmail() }))
    for (const clientIp of privateOrReserved) {
      const { message } = refused(await sendFrom(app, clientIp), 429, 'RateLimitExceededError')
      assert.match(message, /ip/i, clientIp)
    }
    for (const clientIp of [newAddress(), newAddress6()]) started(await sendFrom(app, clientIp))
  })

  test(
    '4.1 client_ip 1: sends without a usable one share a limit of the app, and those with one do not',
    needs('settings'),
    async () => {
      const app = await createApp(instance())
      const addresses = [undefined, '10.0.0.1', '192.168.0.1']
      let turn = 0
      const sendWithout = () =>
        app.server.send({ recipient: newEmail(), client_ip: addresses[turn++ % addresses.length] })
      const { passed, message } = await sendUntilRefused(sendWithout, mostSends)
      assert.match(message, /ip/i)
      // The limit for sends with an address is much higher: more than as many again pass.
      for (let count = 0; count < passed + 10; count++) started(await sendFrom(app, newAddress()))
    },
  )

  test('4.1 client_ip 1: the limit belongs to the app, not to another one', needs('settings'), async () => {
    const [app, other] = [await createApp(instance(), fewWithoutAddress), await createApp(instance())]
    started(await app.server.send({ recipient: newEmail() }))
    refused(await app.server.send({ recipient: newEmail() }), 429, 'RateLimitExceededError')
    started(await other.server.send({ recipient: newEmail() }))
  })

  for (const kind of ['vpn', 'proxy', 'tor', 'datacenter'] as const) {
    test(
      `4.1 client_ip 2: an address known as ${kind} is throttled sooner than others`,
      needs('settings', kind),
      async () => {
        const app = await createApp(instance())
        const flagged = await sendUntilRefused(() => sendFrom(app, addressListedAs(kind)), mostSends)
        assert.ok(flagged.passed >= 1, 'throttled, not refused')
        const address = newAddress()
        for (let count = 0; count <= flagged.passed; count++) started(await sendFrom(app, address))
      },
    )
  }

  test(
    '4.1 client_ip 3: a known-abusive address is 403 IpReputationBlockedError',
    needs('settings', 'abusive'),
    async () => {
      const app = await createApp(instance())
      refused(await sendFrom(app, addressListedAs('abusive')), 403, 'IpReputationBlockedError')
    },
  )

  test(
    '4.1 25 people in a row, none of whom has finished, are all sent a code',
    needs('settings'),
    async () => {
      const { server } = await createApp(instance())
      for (let count = 0; count < 25; count++) {
        started(await server.send({ recipient: newPhone(), client_ip: newAddress() }))
      }
    },
  )

  for (const [where, first] of Object.entries({ British: 447_400_310_000, American: 14_155_552_000 })) {
    test(
      `4.1 25 ${where} numbers that follow one another are all sent a code`,
      needs('settings'),
      async () => {
        const { server } = await createApp(instance())
        for (let count = 0; count < 25; count++) {
          started(await server.send({ recipient: `+${first + count}`, client_ip: newAddress() }))
        }
      },
    )
  }
})
