/** Every command of the command line: when all is well, with wrong words, and without a database. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { AppOptions } from '../src/app.ts'
import type { Receipt } from '../src/channels/channel.ts'
import { commandsWith } from '../src/cli/commands.ts'
import { runCommand } from '../src/cli/run.ts'
import { Capture } from './harness/capture.ts'
import { migrationsFolder } from './harness/database.ts'
import {
  createTenant,
  freshEmail,
  freshPhone,
  started,
  type Tenant,
  until,
  wrongCode,
} from './harness/fixtures.ts'
import { adminToken, startNode, testMasterKeys } from './harness/node.ts'
import { type Service, startService } from './harness/service.ts'

const commands = commandsWith(migrationsFolder)
/** Nothing ever listens on the first port. */
const nobody = 'postgresql://nobody:secret-word@127.0.0.1:1/none'

interface Said {
  readonly code: number
  readonly text: string
}

async function run(words: readonly string[], environment: Record<string, string>): Promise<Said> {
  const lines: string[] = []
  const write = (line: string) => lines.push(line)
  const code = await runCommand(commands, words, { environment, print: write, complain: write })
  return { code, text: lines.join('\n') }
}

describe('the command line', () => {
  let service: Service
  let tenant: Tenant
  let folder = ''
  /** What a provider says after it has taken a message. */
  let receipt: 'delivered' | 'failed' | 'none' = 'delivered'

  const capture = new Capture()
  /** Under the names of the simulator's, which the command line knows. */
  const builtIn: AppOptions['builtIn'] = (onReceipt) =>
    capture.providers().map((provider) => {
      const providerId = `simulator-${provider.channel}`
      const send: typeof provider.account.send = async (message, signal) => {
        const outcome = await provider.account.send(message, signal)
        if (receipt !== 'none' && outcome.kind === 'accepted')
          report(onReceipt, providerId, message.deliveryId, receipt).catch(() => {})
        return outcome
      }
      return { ...provider, providerId, account: { ...provider.account, send }, isSimulated: true }
    })

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countersign-cli-'))
    service = await startService({ capture, builtIn })
    tenant = await createTenant(service.node)
  })
  after(async () => {
    await service.close()
    await rm(folder, { recursive: true, force: true })
  })

  /** Once it is written that the message was taken, as carriers do. */
  async function report(
    onReceipt: (providerId: string, receipt: Receipt) => Promise<void>,
    providerId: string,
    deliveryId: string,
    status: 'delivered' | 'failed',
  ): Promise<void> {
    const isWritten = `select 1 from deliveries where delivery_id = $1 and status = 'sent'`
    await until('the message to be sent', async () => {
      const rows = await service.database.query(isWritten, [deliveryId])
      return rows.length > 0
    })
    await onReceipt(providerId, { deliveryId, messageId: null, status, error: null, unreachable: false })
  }

  const settings = (more: Record<string, string> = {}) => ({
    DATA_DIR: folder,
    DATABASE_URL: service.database.url,
    MASTER_KEY: testMasterKeys.secrets[0].toString('base64'),
    ADMIN_TOKEN: adminToken,
    SIMULATOR: 'on',
    PUBLIC_URL: service.node.baseUrl,
    COUNTERSIGN_URL: service.node.baseUrl,
    COUNTERSIGN_KEY: tenant.serverKey,
    ...more,
  })
  const countersign = (words: readonly string[], more?: Record<string, string>) => run(words, settings(more))

  interface Case {
    readonly good: () => Promise<readonly string[]> | readonly string[]
    /** What it prints, and what of it is there as JSON. */
    readonly prints: RegExp
    readonly has: string
    readonly bad: readonly string[]
    /** What it exits with where the database is away: a few need none. */
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
      prints: /^0 verifications/,
      has: 'erased',
      bad: ['cmp_x'],
    },
    'sign-in-link': { good: () => [freshEmail(), '--new'], prints: /#token=/, has: 'url', bad: ['--new'] },
    'sign-in-links': { good: afterNewOperator, prints: /lnk_\w+/, has: 'links', bad: ['--new'] },
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
    operators: { good: afterNewOperator, prints: /never signed in/, has: 'operators', bad: ['--now'] },
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
    assert.equal((await countersign(['sign-in-link', email, '--new'])).code, 0)
    return [email]
  }

  async function afterNewOperator(): Promise<string[]> {
    await newOperator()
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

    it(`${name}: with wrong words exits with 2 and says what it wants`, async () => {
      const plain = await countersign([name, ...bad])
      assert.equal(plain.code, 2, plain.text)
      assert.ok(plain.text.length > 15)
      const json = await countersign([name, ...bad, '--json'])
      assert.equal(json.code, 2)
      assert.equal(JSON.parse(json.text).error.type, 'UsageError')
    })

    it(`${name}: without a database exits with ${away}, and says neither password nor key`, async () => {
      const gone = { DATABASE_URL: nobody, COUNTERSIGN_URL: 'http://127.0.0.1:1' }
      const said = await countersign([name, ...(await good())], gone)
      assert.equal(said.code, away, said.text)
      if (away === 3) assert.match(said.text, /nothing listens there|Nothing answers at/)
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

  it('has the help that docs/operations.md shows', async () => {
    const { text } = await countersign(['help'])
    const [commandsPart = ''] = text.split('\n\nWith --json')
    assert.ok(
      readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8').includes(commandsPart),
    )
  })

  it('says of an unknown command, or of settings that cannot be read, what there is', async () => {
    const unknown = await countersign(['frobnicate'])
    assert.deepEqual([unknown.code, /There is no command "frobnicate"/.test(unknown.text)], [2, true])
    assert.equal((await countersign(['constructor'])).code, 2)
    assert.equal((await countersign(['operators', '--frobnicate'])).code, 2)
    const wrong = await countersign(['operators'], { PORT: 'http' })
    assert.deepEqual(
      [wrong.code, wrong.text],
      [2, 'PORT must be a whole number from 0 to 65535, not "http".'],
    )
  })

  it('exits with 1 where the answer is no', async () => {
    const { otpId, code } = await started(service.node, tenant.serverKey)
    const wrong = await countersign(['verify', otpId, wrongCode(code)])
    assert.deepEqual([wrong.code, wrong.text], [1, 'wrong: the verification is pending, 4 attempts are left'])
    const refused = await countersign(['send', '12'])
    assert.equal(refused.code, 1)
    assert.match(refused.text, /^422 InvalidRecipientError: /)
    const denied = await countersign(['send', freshPhone()], { COUNTERSIGN_KEY: 'otp_sk_wrong' })
    assert.deepEqual([denied.code, /^401 /.test(denied.text)], [1, true])
    assert.equal((await countersign(['create-key', 'app_00000000000000000000000000', 'server'])).code, 1)
  })

  it('erase forgets the person, and the trail has it without them', async () => {
    const { otpId, recipient } = await started(service.node, tenant.serverKey)
    assert.match((await countersign(['erase', tenant.companyId, recipient])).text, /^1 verifications/)
    const shown = await service.node.manage('GET', `/verifications/${otpId}`)
    assert.equal(shown.body.masked_recipient, '****')
    const { entries } = (await service.node.manage('GET', `/companies/${tenant.companyId}/audit`)).body
    assert.ok(entries.some(({ action }: { action: string }) => action === 'erase'))
    assert.ok(!JSON.stringify(entries).includes(recipient))
  })

  it('canary names the step that failed: the send, the account, the receipt', async () => {
    const canary = (...more: string[]) =>
      countersign(['canary', '--app', tenant.appId, '--account', 'simulator-sms', '--json', ...more])
    const failed = async (...more: string[]) => {
      const { code, text } = await canary(...more)
      const { failed_step, steps } = JSON.parse(text)
      return [code, failed_step, steps.at(-1).detail]
    }
    const [unsent, at, why] = await failed('--to', 'nobody')
    assert.deepEqual([unsent, at, why.split(':')[0]], [1, 'send', 'InvalidRecipientError'])
    service.node.capture.answerWith(() => ({ kind: 'refused', error: { code: 'R1', message: 'No route.' } }))
    assert.deepEqual(await failed('--to', freshPhone()), [1, 'accept', 'The message failed. No route. (R1)'])
    service.node.capture.answerWith(null)
    receipt = 'failed'
    const [code, step] = await failed('--to', freshPhone())
    assert.deepEqual([code, step], [1, 'receipt'])
    receipt = 'none'
    assert.equal((await canary('--to', freshPhone(), '--skip-receipt')).code, 0)
    receipt = 'delivered'
  })

  it('canaries on a timer say in a metric and to the operator which of them came back', async () => {
    const nobodys = 'app_00000000000000000000000000'
    const worker = await startNode(service.database.url, {
      capture,
      builtIn,
      role: 'worker',
      canaries: [
        { appId: tenant.appId, account: 'simulator-sms', recipient: freshPhone() },
        { appId: nobodys, account: 'simulator-email', recipient: freshEmail() },
      ],
    })
    try {
      const lines = await until(
        'both canaries',
        async () => {
          const { body } = await worker.call('GET', '/metrics')
          const found = String(body).match(/^countersign_canary_ok\{.*$/gm) ?? []
          return found.length === 2 && found
        },
        30_000,
      )
      assert.deepEqual(lines.toSorted(), [
        'countersign_canary_ok{account="simulator-email"} 0',
        'countersign_canary_ok{account="simulator-sms"} 1',
      ])
      const { attention } = (await service.node.manage('GET', '/installation')).body
      assert.deepEqual(
        attention
          .filter(({ kind }: { kind: string }) => kind === 'canary_failed')
          .map(({ subject, message }: { subject: string; message: string }) => [subject, message]),
        [
          [
            'simulator-email',
            'The canary through simulator-email stopped at its step send. There is no such app.',
          ],
        ],
      )
      const told = worker.logged.filter(({ message }) => message === 'a canary did not come back')
      assert.deepEqual(
        told.map(({ fields }) => [fields.account, fields.step]),
        [['simulator-email', 'send']],
      )
    } finally {
      await worker.close()
    }
  })

  describe('doctor', () => {
    const examine = async (more?: Record<string, string>) => {
      const { code, text } = await countersign(['doctor', '--json'], more)
      const findings: { name: string; status: string; says: string; mend: string | null }[] =
        JSON.parse(text).findings
      return { code, of: (name: string) => findings.filter((one) => one.name === name) }
    }

    it('looks at everything, and finds an installation that works', async () => {
      const { code, of } = await examine()
      assert.equal(code, 0)
      for (const name of ['settings', 'database', 'version', 'writes', 'tables', 'privileges'])
        assert.deepEqual(
          of(name).map(({ status }) => status),
          ['ok'],
          name,
        )
      for (const name of [
        'clock',
        'master key',
        'disk',
        'partitions',
        'workers',
        'messages',
        'lists',
        'public address',
      ])
        assert.deepEqual(
          of(name).map(({ status }) => status),
          ['ok'],
          name,
        )
      assert.deepEqual(
        of('providers').map(({ status }) => status),
        ['warning'],
      )
      // Others may use the same server.
      assert.match(of('connections')[0]?.says ?? '', /^\d+ of \d+ are in use\.$/)
    })

    it('names another master key, and what it means', async () => {
      const { code, of } = await examine({ MASTER_KEY: Buffer.alloc(32, 7).toString('base64') })
      assert.equal(code, 1)
      assert.match(of('master key')[0]?.says ?? '', /MASTER_KEY is not the one this database was made with/)
    })

    it('names a public address that leads elsewhere', async () => {
      const stranger = createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1')
      await new Promise((resolve) => stranger.once('listening', resolve))
      const { port } = stranger.address() as AddressInfo
      try {
        const { code, of } = await examine({ PUBLIC_URL: `http://127.0.0.1:${port}` })
        assert.equal(code, 1)
        assert.match(of('public address')[0]?.says ?? '', /is not Countersign \(status 200\)/)
      } finally {
        await new Promise((resolve) => stranger.close(resolve))
      }
      const { of } = await examine({ PUBLIC_URL: `http://127.0.0.1:${port}` })
      assert.match(of('public address')[0]?.says ?? '', /nothing listens there/)
    })

    it('names what a user of the database may not do', async () => {
      const role = `limited_${process.pid}`
      await service.database.query(`create role ${role} login password 'limited'`)
      try {
        const url = new URL(service.database.url)
        url.username = role
        url.password = 'limited'
        await service.database.query(`grant select on migrations to ${role}`)
        const { code, of } = await examine({ DATABASE_URL: url.href })
        assert.equal(code, 1)
        const [found] = of('privileges')
        assert.match(found?.says ?? '', /may create no tables/)
        assert.match(found?.mend ?? '', /^As its owner run: grant create on schema/)
      } finally {
        await service.database.query(`drop owned by ${role}; drop role ${role}`)
      }
    })

    it('names tables of another version, and asks no further', async () => {
      await service.database.query(`insert into migrations (name) values ('9999_newer.sql')`)
      const { code, of } = await examine()
      await service.database.query(`delete from migrations where name = '9999_newer.sql'`)
      assert.equal(code, 1)
      assert.match(of('tables')[0]?.says ?? '', /newer version \(9999_newer\.sql\)/)
      assert.deepEqual(of('connections'), [])
    })

    it('names an account that fails, with its last error', async () => {
      await service.database.query(
        `insert into providers (company_id, provider_id, channel, kind, settings, secrets)
         values ('operator', 'prv_00000000000000000000000000', 'sms', 'smpp', '{}', '')`,
      )
      await service.database.query(
        `insert into provider_states (company_id, provider_id, revision, link, link_since, link_at, error_code, error_message, error_at, expires_at)
         values ('operator', 'prv_00000000000000000000000000', 1, 'down', now(), now() + interval '1 hour', 'ECONNREFUSED', 'Nobody listens.', now(), now() + interval '1 day')`,
      )
      const { code, of } = await examine()
      await service.database.query(`delete from providers; delete from provider_states`)
      assert.equal(code, 1)
      assert.match(of('providers')[0]?.says ?? '', /smpp prv_0+ fails: Nobody listens\. \(ECONNREFUSED\)/)
      assert.match(of('providers')[0]?.mend ?? '', /reach its host and port/)
    })
  })
})
