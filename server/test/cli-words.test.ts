/** What the command line says: to slips, to settings and words that it cannot read, and where the answer is no. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { startCommandLine } from './cli-support.ts'
import { createTestDatabase } from './harness/database.ts'
import { freshPhone, started, wrongCode } from './harness/fixtures.ts'

const { service, tenant, countersign, environment, close } = await startCommandLine()
after(close)

describe('what the command line says', () => {
  const slips: readonly (readonly [words: string, says: string])[] = [
    ['frobnicate', 'There is no command "frobnicate". "countersign help" lists them.'],
    ['constructor', 'There is no command "constructor". "countersign help" lists them.'],
    ['docter', 'There is no command "docter". Did you mean "doctor"? "countersign help" lists them.'],
    [
      'sign-in-lnik',
      'There is no command "sign-in-lnik". Did you mean "sign-in-link"? "countersign help" lists them.',
    ],
    ['help hepl', 'There is no command "hepl". Did you mean "help"? "countersign help" lists them.'],
    [
      'operators --jsno',
      '"operators" has no option --jsno. Did you mean --json? See: countersign help operators',
    ],
    ['operators --frobnicate', '"operators" has no option --frobnicate. See: countersign help operators'],
    [
      'strat --port 3100',
      'There is no command "strat". Did you mean "start"? "countersign help" lists them.',
    ],
    ['--Version', 'There is no option --Version. Did you mean --version?'],
    [
      '--port 3100',
      '"start" takes no words and no options. Settings are variables of the environment: PORT=3100 countersign start',
    ],
    ['send +447400123456 --url localhost:3000', '--url is an address such as https://otp.example.com'],
    ...['otp_sk_€', '"otp_sk_0"', 'an-admin-token'].map(
      (key) =>
        [
          `send +447400123456 --key ${key}`,
          '--key is otp_sk_ or otp_pk_, then letters and digits, without quotes. Copy it once more.',
        ] as const,
    ),
    ['send --accuont x', '"send" has no option --accuont. See: countersign help send'],
    [
      'start --port 3100',
      '"start" takes no words and no options. Settings are variables of the environment: PORT=3100 countersign start',
    ],
  ]
  for (const [words, says] of slips) {
    it(`says what was meant by "${words}"`, async () => {
      assert.deepEqual(await countersign(words.split(' ')), { code: 2, text: says })
    })
  }

  it('has help for the start too, and for itself', async () => {
    assert.match((await countersign(['help', 'start'])).text, /^countersign start\n/)
    const all = await countersign(['help'])
    for (const words of [['help', 'help'], ['help', '--help'], ['-h']])
      assert.deepEqual(await countersign(words), all)
  })

  it('takes an address of the service that is empty for one that is not set', async () => {
    const port = new URL(service.node.baseUrl).port
    for (const empty of ['', ' ']) {
      const said = await countersign(['send', freshPhone()], { COUNTERSIGN_URL: empty, PORT: port })
      assert.equal(said.code, 0, said.text)
    }
  })

  it('gives no company a name that the management API refuses', async () => {
    for (const [name, says] of [
      [' ', 'The name of the company must not be empty.'],
      ['x'.repeat(101), /at most 100/],
      ['A\tB', /The name of the company /],
    ] as const) {
      const said = await countersign(['create-company', name])
      assert.equal(said.code, 2, said.text)
      if (typeof says === 'string') assert.equal(said.text, says)
      else assert.match(said.text, says)
    }
  })

  it('says of settings that cannot be read what they may be', async () => {
    const wrong = await countersign(['operators'], { PORT: 'http' })
    assert.deepEqual(
      [wrong.code, wrong.text],
      [2, 'PORT must be a whole number from 0 to 65535, not "http".'],
    )
  })

  it('exits with 2 for words that nobody can read', async () => {
    for (const words of [
      ['sign-in-link', 'foo', '--new'],
      ['erase', tenant.companyId, 'foo'],
      ['erase', tenant.companyId, '07400123456', '--country', 'Germany'],
    ])
      assert.equal((await countersign(words)).code, 2, words.join(' '))
  })

  it('says how to give the country of a national number', async () => {
    const { text } = await countersign(['erase', tenant.companyId, '07400123456'])
    assert.match(text, /say its country: --country GB$/)
    assert.equal((await countersign(['erase', tenant.companyId, '07400123456', '--country', 'gb'])).code, 0)
  })

  it('leaves no trail of a company that never was', async () => {
    const unknown = 'cmp_00000000000000000000000000'
    assert.equal((await countersign(['create-app', unknown, 'App'])).code, 1)
    assert.deepEqual(
      await service.database.query('select 1 from audit_chains where company_id = $1', [unknown]),
      [],
    )
  })

  it('needs no service that has started once: migrate makes the first data key', async () => {
    const fresh = await createTestDatabase()
    try {
      const early = await countersign(['operators'], { DATABASE_URL: fresh.url })
      assert.deepEqual([early.code, /has no data key yet.*countersign migrate/.test(early.text)], [1, true])
      assert.equal((await countersign(['migrate'], { DATABASE_URL: fresh.url })).code, 0)
      for (const words of [['create-company', 'New Ltd'], ['audit', 'verify'], ['rotate-data-key']])
        assert.equal((await countersign(words, { DATABASE_URL: fresh.url })).code, 0, words.join(' '))
    } finally {
      await fresh.close()
    }
  })

  it('sends the key of a sandbox to no other service', async () => {
    await writeFile(join(environment.DATA_DIR ?? '', 'first-app.json'), '{"server_key":"otp_sk_of_a_trial"}')
    const said = await countersign(['send', freshPhone()], { COUNTERSIGN_KEY: '' })
    assert.equal(said.code, 2)
    assert.match(said.text, /^Say the key of an app/)
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
    assert.match(
      (await countersign(['erase', tenant.companyId, recipient])).text,
      /^Erased from 1 verification\.$/,
    )
    const shown = await service.node.manage('GET', `/verifications/${otpId}`)
    assert.equal(shown.body.masked_recipient, '****')
    const { entries } = (await service.node.manage('GET', `/companies/${tenant.companyId}/audit`)).body
    assert.ok(entries.some(({ action }: { action: string }) => action === 'erase'))
    assert.ok(!JSON.stringify(entries).includes(recipient))
  })
})
