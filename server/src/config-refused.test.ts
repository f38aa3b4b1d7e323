/** Environments with which the service does not start, and the errors that it reports. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { readConfig } from './config.ts'
import { ConfigError } from './platform/config-error.ts'

const masterKey = randomBytes(32).toString('base64')
const databaseUrl = 'postgresql://otp:pa55word-of-mine@db.example.com:5432/otp'
const production = {
  DATABASE_URL: databaseUrl,
  MASTER_KEY: masterKey,
  ADMIN_TOKEN: 'an-admin-token-of-24-chars',
}

function problemsOf(environment: Record<string, string>): string[] {
  try {
    readConfig(environment)
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.message.split('\n')
  }
  return []
}

describe('bad values', () => {
  const bad: readonly (readonly [name: string, value: string, base?: Record<string, string>])[] = [
    ...['PORT', 'SIMULATOR_PORT', 'SIMULATOR_SMTP_PORT', 'SIMULATOR_SMPP_PORT', 'BOUNCE_PORT'].flatMap(
      (name) =>
        ['-1', '65536', '80.5', 'http', '80 81', 'NaN', 'Infinity', '1e3', '0x50'].map(
          (value) => [name, value] as const,
        ),
    ),
    ['DATA_DIR', '~/countersign'],
    ['DATA_DIR', '~'],
    ['DATABASE_CONNECTIONS', '3'],
    ['DATABASE_CONNECTIONS', '501', production],
    ['PROCESSES', '0'],
    ['PROCESSES', 'all'],
    ['PROCESSES', '10'],
    ['PROCESSES', '65', production],
    ['ROUTING_ACCOUNTS', 'cheapest'],
    ['RETENTION_DAYS', '7'],
    ['RETENTION_DAYS', '3651'],
    ['RETENTION_DAYS', '1.5'],
    ['ROLE', 'API', production],
    ['ROLE', 'both', production],
    ['SIMULATOR', 'true'],
    ['LOG_LEVEL', 'loud'],
    ['DATABASE_URL', 'mysql://db/otp', production],
    ['DATABASE_URL', 'db.example.com', production],
    ['DATABASE_URL', 'postgresql://', production],
    // The driver ignores these, so a typo would have left the connection without encryption.
    ...[
      'sslmod=require',
      'SSLMODE=require',
      'ssl_mode=require',
      'slsmode=require',
      'tls=require',
      'ssl=true',
      'sslrootcrt=/etc/ca.crt',
      'channel_binding=require',
      'channel_binding=required&sslmode=require',
      'sslmode=require&sslmode=disable',
      'sslnegotiation=diret',
      'sslnegotiation=direct&sslmode=disable',
      'statement_timeout=0',
      // A question mark for an ampersand, and a hash sign: what follows would be passed over.
      'application_name=a?sslmode=require',
      'target_session_attrs=read-write?sslmode=require',
      '#?sslmode=require',
    ].map((slip) => ['DATABASE_URL', `${databaseUrl}?${slip}`, production] as const),
    ...Object.entries({
      PORT: '3000',
      HOST: '127.0.0.1',
      DATA_DIR: '/var/lib/otp',
      DATABASE_URL: databaseUrl,
      MASTER_KEY: masterKey,
      ADMIN_TOKEN: production.ADMIN_TOKEN,
      METRICS_TOKEN: 'metrics',
      IP_SOURCES: '/etc/otp/sources.json',
      LOG_LEVEL: 'info',
    }).flatMap(([name, value]) =>
      [`"${value}"`, `'${value}'`].map((quoted) => [name, quoted, production] as const),
    ),
    ['CANARY', 'app_1/prv_1/+44 7400 123456'],
    ['CANARY', 'app_1/prv_1/nobody'],
    ['MASTER_KEY', 'short'],
    ['MASTER_KEY', randomBytes(31).toString('base64')],
    ['MASTER_KEY', randomBytes(33).toString('base64')],
    ['MASTER_KEY', randomBytes(32).toString('hex')],
    ['MASTER_KEY', `${masterKey},`],
    ['MASTER_KEY', `${masterKey},short`],
    ['ADMIN_TOKEN', 'x'.repeat(23)],
    ...['ADMIN_TOKEN', 'METRICS_TOKEN'].flatMap((name) =>
      [`${'x'.repeat(24)} x`, 'ä'.repeat(24)].map((value) => [name, value] as const),
    ),
    ['PUBLIC_URL', 'otp.example.com'],
    ['PUBLIC_URL', 'ftp://otp.example.com'],
    ['PUBLIC_URL', 'https://otp.example.com/?a=b'],
    ['PUBLIC_URL', 'https://otp.example.com/#a'],
    ['PUBLIC_URL', 'https://'],
    ['PUBLIC_URL', 'https://otp:password@otp.example.com'],
    ['TRUSTED_PROXIES', 'localhost'],
    ['TRUSTED_PROXIES', '10.0.0.0/8,10.0.0.0/99'],
    ['TRUSTED_PROXIES', '*'],
    ['ALLOWED_RANGES', 'localhost'],
    ['ALLOWED_RANGES', '10.0.0.0/40'],
  ]
  for (const [name, value, base = {}] of bad) {
    it(`${name}=${name === 'MASTER_KEY' || name === 'ADMIN_TOKEN' ? `(${value.length} characters)` : value} is one problem that names the variable`, () => {
      const problems = problemsOf({ ...base, [name]: value })
      assert.equal(problems.length, 1, problems.join('\n'))
      assert.ok(problems[0]?.startsWith(name), problems[0])
    })
  }

  for (const processes of ['', '1', 'auto'])
    it(`more connections than the embedded database has room for are one problem, with PROCESSES=${processes}`, () => {
      const problems = problemsOf({ PROCESSES: processes, DATABASE_CONNECTIONS: '181' })
      assert.equal(problems.length, 1)
      assert.match(problems[0] ?? '', /DATABASE_CONNECTIONS must be at most 180/)
      assert.deepEqual(problemsOf({ PROCESSES: processes, DATABASE_CONNECTIONS: '180' }), [])
    })

  for (const role of ['api', 'worker']) {
    it(`a role of ${role} needs a database that processes can share`, () => {
      const problems = problemsOf({ ROLE: role })
      assert.equal(problems.length, 1)
      assert.match(problems[0] ?? '', /^ROLE=.*DATABASE_URL/)
    })
  }

  it('with a database of one’s own, the master key and the operator’s token are needed, both said at once', () => {
    const problems = problemsOf({ DATABASE_URL: databaseUrl })
    assert.equal(problems.length, 2)
    assert.match(problems[0] ?? '', /^MASTER_KEY is needed/)
    assert.match(problems[1] ?? '', /^ADMIN_TOKEN is needed/)
  })

  it('where something is needed, a name that is a letter off is said beside it', () => {
    const { MASTER_KEY, ...others } = production
    const problems = problemsOf({ ...others, MASTERKEY: MASTER_KEY })
    assert.equal(problems.length, 2)
    assert.match(problems[0] ?? '', /^MASTER_KEY is needed/)
    assert.equal(problems[1], 'MASTERKEY is not read. Did you mean MASTER_KEY?')
  })

  it('all that is wrong is said at once, one line each', () => {
    const problems = problemsOf({
      DATABASE_URL: 'mysql://x',
      PORT: 'x',
      MASTER_KEY: 'x',
      ADMIN_TOKEN: 'x',
      ROLE: 'x',
      SIMULATOR: 'x',
      PUBLIC_URL: 'x',
      TRUSTED_PROXIES: 'x, y',
      RETENTION_DAYS: 'x',
      DATABASE_CONNECTIONS: 'x',
      LOG_LEVEL: 'x',
      BOUNCE_PORT: 'x',
    })
    const named = problems.map((problem) => /^[A-Z_]+/.exec(problem)?.[0])
    assert.deepEqual(
      new Set(named),
      new Set([
        'DATABASE_URL',
        'PORT',
        'MASTER_KEY',
        'ADMIN_TOKEN',
        'ROLE',
        'SIMULATOR',
        'PUBLIC_URL',
        'TRUSTED_PROXIES',
        'RETENTION_DAYS',
        'DATABASE_CONNECTIONS',
        'LOG_LEVEL',
        'BOUNCE_PORT',
      ]),
    )
    assert.equal(problems.length, 13)
  })

  it('a password that is not written as an address needs it is refused, and the message says how it is written', () => {
    for (const password of ['a/b', '12/b', 'a#b', 'a?b', '12?b', '12?b=c', '12?b?c']) {
      const problems = problemsOf({
        ...production,
        DATABASE_URL: `postgresql://otp:${password}@db:5432/otp`,
      })
      assert.match(
        problems.join('\n'),
        /^DATABASE_URL must look like .* \/ as %2F, \? as %3F and # as %23/,
        password,
      )
      assert.doesNotMatch(problems.join('\n'), new RegExp(password.replaceAll('?', '\\?')))
    }
  })

  it('a parameter that is not read is named, with what was probably meant', () => {
    const saidOf = (slip: string) =>
      problemsOf({ ...production, DATABASE_URL: `${databaseUrl}?${slip}` }).join('\n')
    for (const slip of ['ssl_mode', 'slsmode', 'tls', 'ssl'])
      assert.match(saidOf(`${slip}=require`), new RegExp(`"${slip}" is not read. Did you mean sslmode\\?`))
    assert.match(saidOf('sslrootcrt=/etc/ca.crt'), /Did you mean sslrootcert\?/)
    for (const slip of ['application_name=a?sslmode=require', '#?sslmode=require'])
      assert.match(saidOf(slip), /Parameters follow one \?, with & between them/)
    assert.match(saidOf('schema=public'), /"schema" is not read. Leave it out\./)
    const ofOthers = saidOf('pgbouncer=true&connection_limit=1&keepalives_idle=30')
    assert.match(ofOthers, /"pgbouncer" is not read. Leave it out: what a pooler supports is found out/)
    assert.match(ofOthers, /"connection_limit" is not read. Leave it out: DATABASE_CONNECTIONS says/)
    assert.match(ofOthers, /"keepalives_idle" is not read. Leave it out: connections have time limits/)
    assert.match(saidOf('sslmode=require&sslmode=disable'), /"sslmode" is given twice/)
    assert.match(saidOf('channel_binding=require'), /channel_binding=require needs encryption: set sslmode/)
  })

  it('what a wrong target_session_attrs may be is said', () => {
    for (const wrong of ['rw', 'standby'])
      assert.match(
        problemsOf({ ...production, DATABASE_URL: `${databaseUrl}?target_session_attrs=${wrong}` }).join(
          '\n',
        ),
        /^DATABASE_URL must look like .* target_session_attrs is read-write, primary or any\.$/,
      )
  })

  it('two of our own ports that are the same are named, both of them', () => {
    for (const [given, says] of [
      [{ PORT: '4000', BOUNCE_PORT: '4000' }, /^PORT and BOUNCE_PORT are both 4000\./],
      [{ PORT: '3001' }, /^PORT and SIMULATOR_PORT are both 3001\./],
      [{ SIMULATOR_SMTP_PORT: '3775' }, /^SIMULATOR_SMTP_PORT and SIMULATOR_SMPP_PORT are both 3775\./],
    ] as const)
      assert.match(problemsOf(given).join('\n'), says)
    assert.deepEqual(problemsOf({ PORT: '0', BOUNCE_PORT: '0', SIMULATOR_PORT: '0' }), [])
    assert.deepEqual(problemsOf({ ...production, ROLE: 'api', PORT: '4000', BOUNCE_PORT: '4000' }), [])
    assert.deepEqual(problemsOf({ PORT: '3001', SIMULATOR: 'off' }), [])
  })

  it('no message repeats a secret', () => {
    const secrets = {
      MASTER_KEY: 'secret-master-key',
      ADMIN_TOKEN: 'secret-admin',
      DATABASE_URL: 'mysql://otp:secret-password@db',
    }
    const message = problemsOf({ ...secrets, PORT: 'x' }).join('\n')
    assert.ok(message.length > 0)
    assert.doesNotMatch(message, /secret/)
  })

  it('no message repeats the password inside an address', () => {
    const message = problemsOf({ PUBLIC_URL: 'https://otp:secret-password@otp.example.com/?x' }).join('\n')
    assert.match(message, /^PUBLIC_URL/)
    assert.doesNotMatch(message, /secret/)
  })
})
