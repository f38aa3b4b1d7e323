/** Every command of the command line: in normal use, with wrong arguments, and without a database. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { after, describe, it } from 'node:test'
import { TLS_CERTIFICATE, TLS_KEY } from './channels/loopback-tls.ts'
import { portOf } from './channels/support.ts'
import { commands, startCommandLine } from './cli-support.ts'
import { freshEmail, freshPhone, started } from './harness/fixtures.ts'

const { service, tenant, countersign, environment, close } = await startCommandLine()
after(close)

/** Nothing ever listens on port 1. */
const gone = {
  DATABASE_URL: 'postgresql://nobody:secret-word@127.0.0.1:1/none',
  COUNTERSIGN_URL: 'http://127.0.0.1:1',
}

describe('the command line', () => {
  interface Case {
    readonly good: () => Promise<readonly string[]> | readonly string[]
    /** What it prints, and which field its JSON has. */
    readonly prints: RegExp
    readonly has: string
    readonly bad: readonly string[]
    /** The exit code without a database, for the few commands that need none. */
    readonly away?: number
  }
  const cases: Readonly<Record<string, Case>> = {
    migrate: { good: () => [], prints: /up to date/, has: 'applied', bad: ['--now'] },
    doctor: { good: () => [], prints: /It works|All is well/, has: 'findings', bad: ['--now'] },
    canary: {
      good: () => ['--app', tenant.appId, '--account', 'simulator-sms', '--to', freshPhone()],
      prints: /ok +verify[\s\S]*It came back/,
      has: 'steps',
      bad: ['--app', 'app_x'],
    },
    send: {
      good: () => [freshPhone()],
      prints: /^otp_\w+ {2}sms to \+44\*{4}/,
      has: 'otp_id',
      bad: [],
      away: 3,
    },
    verify: {
      good: async () => {
        const { otpId, code } = await started(service.node, tenant.serverKey)
        return [otpId, code]
      },
      prints: /^right/,
      has: 'matched',
      bad: ['otp_x'],
      away: 3,
    },
    ip: { good: () => ['explain', '8.8.8.8'], prints: /a send +is held/, has: 'says', bad: ['ban'], away: 0 },
    'create-company': {
      good: () => ['New Ltd'],
      prints: /^cmp_\w+$/,
      has: 'company_id',
      bad: ['A', '--balance', 'x'],
    },
    'create-app': {
      good: () => [tenant.companyId, 'App'],
      prints: /^app_\w+$/,
      has: 'app_id',
      bad: ['cmp_x', 'App'],
    },
    'create-key': {
      good: () => [tenant.appId, 'server'],
      prints: /^otp_sk_\w+$/,
      has: 'key',
      bad: ['app_x', 'other'],
    },
    erase: {
      good: () => [tenant.companyId, freshPhone()],
      prints: /^Erased from 0 verifications\.$/,
      has: 'erased',
      bad: ['cmp_x'],
    },
    'sign-in-link': { good: () => [freshEmail(), '--new'], prints: /#token=/, has: 'url', bad: ['--new'] },
    'sign-in-links': { good: afterNewLink, prints: /lnk_\w+/, has: 'links', bad: ['--new'] },
    'revoke-sign-in-link': {
      good: async () => {
        const email = freshEmail()
        await countersign(['sign-in-link', email, '--new'])
        const { links } = JSON.parse((await countersign(['sign-in-links', '--json'])).text)
        return [links.find((link: { email: string }) => link.email === email).link_id]
      },
      prints: /^lnk_\w+$/,
      has: 'link_id',
      bad: [],
    },
    operators: { good: afterNewOperator, prints: /last signed in/, has: 'operators', bad: ['--now'] },
    'demote-operator': { good: newOperator, prints: /^usr_\w+$/, has: 'person_id', bad: [] },
    'remove-operator': { good: newOperator, prints: /^usr_\w+$/, has: 'person_id', bad: [] },
    audit: {
      good: () => ['verify'],
      prints: /The audit trail holds\.$/,
      has: 'holds',
      bad: ['verify', '--company', 'x'],
    },
    'rotate-data-key': {
      good: () => [],
      prints: /^data key \d+ takes over/,
      has: 'data_key',
      bad: ['--now'],
    },
    'drop-old-partitions': {
      good: () => [],
      prints: /0 partitions would be dropped$/,
      has: 'partitions',
      bad: ['--new'],
    },
  }

  async function newOperator(): Promise<string[]> {
    const email = freshEmail()
    const { text } = await countersign(['sign-in-link', email, '--new'])
    const body = { token: text.split('#token=')[1] }
    assert.equal((await service.node.call('POST', '/manage/v1/sign-in/link', { body })).status, 200)
    return [email]
  }

  async function afterNewOperator(): Promise<string[]> {
    await newOperator()
    return []
  }

  async function afterNewLink(): Promise<string[]> {
    assert.equal((await countersign(['sign-in-link', freshEmail(), '--new'])).code, 0)
    return []
  }

  it('has no command that is not tried here', () => {
    assert.deepEqual(Object.keys(cases).toSorted(), Object.keys(commands).toSorted())
  })

  for (const [name, { good, prints, has, bad, away = 3 }] of Object.entries(cases)) {
    it(`${name}: does it and exits with 0, and says the same as JSON`, async () => {
      const plain = await countersign([name, ...(await good())])
      assert.equal(plain.code, 0, plain.text)
      assert.match(plain.text, prints)
      const json = await countersign([name, ...(await good()), '--json'])
      assert.equal(json.code, 0, json.text)
      assert.ok(has in JSON.parse(json.text), json.text)
    })

    it(`${name}: with wrong words exits with 2 and says what it wants, whether or not there is a database`, async () => {
      const plain = await countersign([name, ...bad], gone)
      assert.equal(plain.code, 2, plain.text)
      assert.ok(plain.text.length > 15)
      const json = await countersign([name, ...bad, '--json'], gone)
      assert.equal(json.code, 2)
      assert.equal(JSON.parse(json.text).error.type, 'UsageError')
    })

    it(`${name}: with a word too many exits with 2, and names it`, async () => {
      const words = (await good()).filter((word) => !word.startsWith('--'))
      const room = commands[name]?.words.length ?? 0
      const said = await countersign([name, ...words.slice(0, room), 'surplus'], gone)
      assert.equal(said.code, 2, said.text)
      assert.ok(said.text.startsWith(`"${name}" takes `) && said.text.includes('so "surplus" is too many'))
    })

    it(`${name}: without a database exits with ${away}, and says neither password nor key`, async () => {
      const said = await countersign([name, ...(await good())], gone)
      assert.equal(said.code, away, said.text)
      if (away === 3) assert.match(said.text, /nothing listens there|it cannot be reached \(bad port\)/)
      assert.ok(!/secret-word|otp_sk_/.test(said.text))
    })

    it(`${name}: has help`, async () => {
      for (const words of [
        ['help', name],
        [name, '--help'],
      ]) {
        const { code, text } = await countersign(words)
        assert.equal(code, 0)
        assert.ok(text.startsWith(`countersign ${name}`))
        assert.ok(text.includes('--json'))
      }
      assert.ok((await countersign(['help'])).text.includes(`\n  ${name}`))
    })
  }

  it('send takes an address that was copied with /api/v1', async () => {
    for (const tail of ['/api/v1', '/api/v1/', '/']) {
      const said = await countersign(['send', freshPhone(), '--url', `${environment.COUNTERSIGN_URL}${tail}`])
      assert.equal(said.code, 0, said.text)
    }
  })

  it('send says of a certificate that it is not accepted, and not that nobody is there', async () => {
    const server = createServer({ key: TLS_KEY, cert: TLS_CERTIFICATE })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      const url = `https://localhost:${portOf(server)}`
      const said = await countersign(['send', freshPhone(), '--url', url])
      assert.equal(said.code, 3)
      assert.ok(said.text.startsWith(`${url}: its certificate is not accepted (`), said.text)
    } finally {
      server.close()
    }
  })

  it('has the help that docs/operations.md shows', async () => {
    const { text } = await countersign(['help'])
    const [commandsPart = ''] = text.split('\n\nWith --json')
    assert.ok(
      readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8').includes(commandsPart),
    )
  })
})
