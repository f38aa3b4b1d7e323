import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { describe, it } from 'node:test'
import { readConfig, slipsIn } from './config.ts'

const masterKey = randomBytes(32).toString('base64')
const adminToken = 'an-admin-token-of-24-chars'
const databaseUrl = 'postgresql://otp:pa55word-of-mine@db.example.com:5432/otp'
/** The variables that a deployment with its own PostgreSQL needs. */
const production = { DATABASE_URL: databaseUrl, MASTER_KEY: masterKey, ADMIN_TOKEN: adminToken }

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
    // Numbers of Niue have four digits after the country code.
    const recipients = ['+447400123456', '+6834000', 'ada@example.com']
    const CANARY = recipients.map((recipient, index) => `app_1/prv_${index}/${recipient}`).join(', ')
    assert.deepEqual(
      readConfig({ CANARY }).canaries.map(({ recipient }) => recipient),
      recipients,
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
    const others = { databaseUser: 'x', HOSTS: 'x', POST: 'x', PGHOST: 'x', COUNTERSIGN_PORT: 'x' }
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
