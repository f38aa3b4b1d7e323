import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { describe, it } from 'node:test'
import { readConfig, slipsIn } from './config.ts'
import { ConfigError } from './platform/config-error.ts'

const masterKey = randomBytes(32).toString('base64')
const adminToken = 'an-admin-token-of-24-chars'
const databaseUrl = 'postgresql://otp:pa55word-of-mine@db.example.com:5432/otp'
/** What a deployment against its own PostgreSQL needs. */
const production = { DATABASE_URL: databaseUrl, MASTER_KEY: masterKey, ADMIN_TOKEN: adminToken }

function problemsOf(environment: Record<string, string>): string[] {
  try {
    readConfig(environment)
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.message.split('\n')
  }
  return []
}

describe('an empty environment', () => {
  it('gives the sandbox: embedded database, simulator, everything on this machine', () => {
    assert.deepEqual(readConfig({}), {
      port: 3000,
      host: '127.0.0.1',
      dataDir: resolve('.data'),
      databaseUrl: null,
      databaseReadUrl: null,
      databaseConnections: 20,
      masterKeys: null,
      adminToken: null,
      metricsToken: null,
      publicUrl: 'http://localhost:3000',
      trustedProxies: [],
      allowedRanges: ['127.0.0.0/8', '::1/128'],
      ipSourcesFile: null,
      role: 'all',
      processes: 1,
      drainSeconds: 0,
      routingAccounts: 'priority',
      retentionDays: 30,
      logLevel: 'info',
      simulator: { http: 3001, smtp: 3025, smpp: 3775 },
      bouncePort: 0,
      canaries: [],
      canaryEverySeconds: 900,
      trace: null,
    })
  })

  it('means the same as one of empty and blank values', () => {
    const names = [
      'PORT',
      'DATA_DIR',
      'DATABASE_URL',
      'MASTER_KEY',
      'ADMIN_TOKEN',
      'METRICS_TOKEN',
      'PUBLIC_URL',
      'TRUSTED_PROXIES',
    ]
    const others = ['IP_SOURCES', 'ROLE', 'SIMULATOR', 'SIMULATOR_PORT', 'BOUNCE_PORT', 'LOG_LEVEL', 'HOST']
    const blank = Object.fromEntries(
      [...names, ...others].map((name, index) => [name, index % 2 ? '' : '  ']),
    )
    assert.deepEqual(readConfig(blank), readConfig({}))
  })

  it('gives a configuration that nobody can change', () => {
    assert.ok(Object.isFrozen(readConfig({})))
  })
})

describe('with a database of one’s own', () => {
  it('the simulator and its mail port are off, and the server listens to the network', () => {
    const config = readConfig(production)
    assert.equal(config.simulator, null)
    assert.equal(config.bouncePort, null)
    assert.equal(config.host, '0.0.0.0')
    assert.deepEqual(config.allowedRanges, [])
    assert.equal(config.databaseUrl, databaseUrl)
    assert.equal(config.adminToken, adminToken)
    assert.deepEqual(config.masterKeys, [Buffer.from(masterKey, 'base64')])
    assert.equal(config.drainSeconds, 5)
  })

  it('the simulator can be switched on, and brings its mail port', () => {
    const config = readConfig({ ...production, SIMULATOR: 'on' })
    assert.deepEqual(config.simulator, { http: 3001, smtp: 3025, smpp: 3775 })
    assert.equal(config.bouncePort, 0)
  })

  it('the master key and the operator’s token are needed, both said at once', () => {
    const problems = problemsOf({ DATABASE_URL: databaseUrl })
    assert.equal(problems.length, 2)
    assert.match(problems[0] ?? '', /^MASTER_KEY is needed/)
    assert.match(problems[1] ?? '', /^ADMIN_TOKEN is needed/)
  })

  for (const role of ['api', 'worker', 'all'] as const) {
    it(`the role may be ${role}`, () => assert.equal(readConfig({ ...production, ROLE: role }).role, role))
  }
})

describe('good values', () => {
  const port = (name: string, read: (config: ReturnType<typeof readConfig>) => number | null | undefined) => {
    for (const value of [0, 1, 8080, 65_535]) {
      it(`${name}=${value} is taken`, () => assert.equal(read(readConfig({ [name]: String(value) })), value))
    }
  }
  port('PORT', (config) => config.port)
  port('SIMULATOR_PORT', (config) => config.simulator?.http)
  port('SIMULATOR_SMTP_PORT', (config) => config.simulator?.smtp)
  port('SIMULATOR_SMPP_PORT', (config) => config.simulator?.smpp)
  port('BOUNCE_PORT', (config) => config.bouncePort)

  it('the public address follows the port unless it is given', () => {
    assert.equal(readConfig({ PORT: '8080' }).publicUrl, 'http://localhost:8080')
    assert.equal(
      readConfig({ PORT: '8080', PUBLIC_URL: 'https://otp.example.com' }).publicUrl,
      'https://otp.example.com',
    )
  })

  it('the public address loses its closing slash and keeps its path', () => {
    assert.equal(readConfig({ PUBLIC_URL: 'https://otp.example.com/' }).publicUrl, 'https://otp.example.com')
    assert.equal(readConfig({ PUBLIC_URL: 'https://example.com/otp/' }).publicUrl, 'https://example.com/otp')
  })

  it('the data folder becomes absolute', () => {
    assert.equal(readConfig({ DATA_DIR: 'some/where' }).dataDir, resolve('some/where'))
    assert.equal(readConfig({ DATA_DIR: '/var/lib/otp' }).dataDir, '/var/lib/otp')
  })

  it('trusted proxies are a list with commas, of addresses and CIDRs', () => {
    const { trustedProxies } = readConfig({ TRUSTED_PROXIES: ' 10.0.0.0/8, 192.0.2.4 ,,2001:db8::/32' })
    assert.deepEqual(trustedProxies, ['10.0.0.0/8', '192.0.2.4', '2001:db8::/32'])
  })

  it('ranges that webhooks may reach are a list too, in place of the sandbox’s own', () => {
    assert.deepEqual(readConfig({ ALLOWED_RANGES: '10.0.0.0/8, ::1' }).allowedRanges, ['10.0.0.0/8', '::1'])
  })

  it('two master keys are the new one and the old one, in that order', () => {
    const old = randomBytes(32)
    const { masterKeys } = readConfig({ MASTER_KEY: `${masterKey}, ${old.toString('base64')}` })
    assert.deepEqual(masterKeys, [Buffer.from(masterKey, 'base64'), old])
  })

  it('the folder of a socket may stand in place of a host', () => {
    const url = 'postgresql:///otp?host=/var/run/postgresql'
    assert.equal(readConfig({ ...production, DATABASE_URL: url }).databaseUrl, url)
  })

  it('headers for the collector are read as OpenTelemetry writes them', () => {
    const { trace } = readConfig({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318',
      OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Basic%20YTpi=, x-share=100%',
    })
    assert.deepEqual(trace?.headers, { Authorization: 'Basic YTpi=', 'x-share': '100%' })
  })

  it('a canary goes to a number or an address', () => {
    const { canaries } = readConfig({ CANARY: 'app_1/prv_1/+447400123456, app_1/prv_2/ada@example.com' })
    assert.deepEqual(
      canaries.map(({ recipient }) => recipient),
      ['+447400123456', 'ada@example.com'],
    )
  })

  it('the rest is read as it is written', () => {
    const config = readConfig({
      HOST: '::',
      IP_SOURCES: '/etc/otp/sources.json',
      ROUTING_ACCOUNTS: 'learned',
      RETENTION_DAYS: '8',
      DATABASE_CONNECTIONS: '4',
      LOG_LEVEL: 'silent',
      SIMULATOR: 'off',
      ADMIN_TOKEN: `  ${adminToken}  `,
    })
    assert.equal(config.host, '::')
    assert.equal(config.ipSourcesFile, '/etc/otp/sources.json')
    assert.equal(config.routingAccounts, 'learned')
    assert.equal(config.retentionDays, 8)
    assert.equal(config.databaseConnections, 4)
    assert.equal(config.logLevel, 'silent')
    assert.equal(config.simulator, null)
    assert.equal(config.bouncePort, null)
    assert.equal(config.adminToken, adminToken)
  })
})

describe('the name of a variable', () => {
  it('that is one letter off is said, with what it may have been meant to be', () => {
    assert.deepEqual(slipsIn({ DATABASE_URI: 'x', MASTERKEY: 'x', Public_Url: 'x', RETENTION_DAY: '9' }), [
      'DATABASE_URI is not read. Did you mean DATABASE_URL?',
      'MASTERKEY is not read. Did you mean MASTER_KEY?',
      'Public_Url is not read. Did you mean PUBLIC_URL?',
      'RETENTION_DAY is not read. Did you mean RETENTION_DAYS?',
    ])
  })

  it('of somebody else is left alone', () => {
    const others = { DATABASE_USER: 'x', HOSTS: 'x', POST: 'x', PGHOST: 'x', COUNTERSIGN_PORT: 'x' }
    assert.deepEqual(slipsIn({ ...production, ...others }), [])
  })
})

describe('PROCESSES', () => {
  it('is one, a number, or auto for one per processor', () => {
    assert.equal(readConfig({}).processes, 1)
    assert.equal(readConfig({ PROCESSES: '3' }).processes, 3)
    assert.equal(readConfig({ ...production, PROCESSES: 'auto' }).processes, availableParallelism())
  })

  it('leaves room among the connections of the embedded database', () => {
    assert.equal(readConfig({ PROCESSES: '9' }).processes, 9)
    assert.equal(readConfig({ PROCESSES: '45', DATABASE_CONNECTIONS: '4' }).processes, 45)
    const { processes } = readConfig({ PROCESSES: 'auto', DATABASE_CONNECTIONS: '180' })
    assert.equal(processes, 1)
  })
})

describe('bad values', () => {
  const bad: readonly (readonly [name: string, value: string, base?: Record<string, string>])[] = [
    ...['PORT', 'SIMULATOR_PORT', 'SIMULATOR_SMTP_PORT', 'SIMULATOR_SMPP_PORT', 'BOUNCE_PORT'].flatMap(
      (name) =>
        ['-1', '65536', '80.5', 'http', '80 81', 'NaN', 'Infinity', '1e3', '0x50'].map(
          (value) => [name, value] as const,
        ),
    ),
    ['DATABASE_CONNECTIONS', '3'],
    ['DATABASE_CONNECTIONS', '501'],
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
    // libpq refuses these too; here a slip would have left the connection without encryption.
    ...['sslmod=require', 'SSLMODE=require', 'ssl_mode=require', 'sslrootcrt=/etc/ca.crt'].map(
      (slip) => ['DATABASE_URL', `${databaseUrl}?${slip}`, production] as const,
    ),
    ...Object.entries({
      PORT: '3000',
      HOST: '127.0.0.1',
      DATA_DIR: '/var/lib/otp',
      DATABASE_URL: databaseUrl,
      MASTER_KEY: masterKey,
      ADMIN_TOKEN: adminToken,
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

  for (const role of ['api', 'worker']) {
    it(`a role of ${role} needs a database that processes can share`, () => {
      const problems = problemsOf({ ROLE: role })
      assert.equal(problems.length, 1)
      assert.match(problems[0] ?? '', /^ROLE=.*DATABASE_URL/)
    })
  }

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
