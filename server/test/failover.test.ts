/** A primary and a synchronous standby: the primary dies under load, the standby is promoted, the old one returns. */
import assert from 'node:assert/strict'
import { createServer, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { DatabaseClock } from '../src/platform/clock.ts'
import { hostsOf } from '../src/platform/database/hosts.ts'
import { Primary } from '../src/platform/database/primary.ts'
import { openReadDatabase } from '../src/platform/database/read-database.ts'
import { type Database, openDatabase } from '../src/platform/database.ts'
import { ChangeWatch } from '../src/platform/remember.ts'
import { createTenant, freshPhone, send, type Tenant, until } from './harness/fixtures.ts'
import { type Node, startNode } from './harness/node.ts'
import { type ReplicatedPair, startReplicatedPair } from './harness/replicated.ts'
import { startLoad } from './harness/steady-load.ts'

/** PostgreSQL itself takes about a second for a promotion; the rest is for a busy machine. */
const followMs = 60_000

let pair: ReplicatedPair
let node: Node
let tenant: Tenant

before(async () => {
  pair = await startReplicatedPair()
  node = await startNode(pair.url, { databaseReadUrl: pair.second.url })
  tenant = await createTenant(node)
})

after(async () => {
  await node?.close()
  await pair?.close()
})

const hosts = async () => (await node.call('GET', '/readyz')).body.database_hosts
const metrics = async () => String((await node.call('GET', '/metrics')).body)

const storedAt = async (server: ReplicatedPair['first'], otpIds: readonly string[]) =>
  (await server.query('select 1 from verifications where otp_id = any($1)', [otpIds])).length

describe('a primary and its standby', () => {
  it('are told apart at /readyz, in a metric and in the log', async () => {
    await until('both to be seen', async () => (await hosts())?.join() === 'primary,standby', followMs)
    const [first, second] = [`127.0.0.1:${pair.first.port}`, `127.0.0.1:${pair.second.port}`]
    assert.match(await metrics(), new RegExp(`countersign_database_host{host="${first}",state="primary"} 1`))
    const seen = node.logged.filter(({ message }) => message === 'the hosts of the database were looked at')
    assert.ok(seen.some(({ fields }) => fields.hosts === `${first} primary, ${second} standby`))
  })

  it('lists and figures are read from the standby', async () => {
    await until('the standby to be used', () =>
      node.logged.some(({ message }) => message === 'lists and figures are read from the standby'),
    )
    assert.match(await metrics(), /^countersign_read_database_lag_seconds [\d.]+$/m)
    await pair.second.query('select pg_wal_replay_pause()')
    await until('the standby to stand still', async () => {
      const [row] = await pair.second.query<{ state: string }>(
        'select pg_get_wal_replay_pause_state() as state',
      )
      return row?.state === 'paused'
    })
    const sent = await send(node, tenant.serverKey, { recipient: freshPhone() })
    const isListed = async () => {
      const { body } = await node.manage('GET', `/apps/${tenant.appId}/verifications`)
      return body.verifications.some(({ otp_id }: { readonly otp_id: string }) => otp_id === sent.body.otp_id)
    }
    assert.equal(sent.status, 200)
    assert.equal(await isListed(), false, 'the standby has it, and does not show it yet')
    await pair.second.query('select pg_wal_replay_resume()')
    await until('the list to show it', isListed)
  })

  it('a standby that is too far behind is not read from, and said to be so; one to which nothing was written is not behind', async () => {
    const lines: string[] = []
    const primary = openDatabase(pair.first.url, 2, () => {})
    // The clock is shifted, because waiting for a standby to fall behind would take too long.
    let shiftMs = 60_000
    const reading = openReadDatabase(primary, {
      url: pair.second.url,
      connections: 4,
      clock: { nowMs: () => Date.now() + shiftMs },
      log: (_level, message, fields) => lines.push(`${message}: ${fields?.problem}`),
      lookEveryMs: 50,
    })
    const isRead = () => reading.problem() === null && reading.lagSeconds() === 0
    try {
      await until('it to be read, though its last transaction was a minute ago', isRead)
      await pair.second.query('select pg_wal_replay_pause()')
      await pair.first.query('create table behind ()')
      shiftMs += 60_000
      await until('it to be seen', () => reading.problem() === 'read_database_lagging')
      assert.ok(Number(reading.lagSeconds()) > 50)
      assert.deepEqual(lines.slice(-1), [
        'lists and figures are read from the primary: read_database_lagging',
      ])
      const { rows } = await reading.database.query<{ here: boolean }>({
        text: 'select pg_is_in_recovery() as here',
      })
      assert.equal(rows[0]?.here, false)
      await pair.second.query('select pg_wal_replay_resume()')
      await until('it to be read again', isRead)
    } finally {
      await reading.close()
      await primary.close()
    }
  })

  it('commits that wait for a standby which does not confirm are named: /readyz says 503, and all goes on with the standby', async () => {
    await pair.second.crash()
    const refused = await until('a call to be refused', async () => {
      const answer = await send(node, tenant.serverKey, { recipient: freshPhone() })
      return answer.status !== 200 && answer
    })
    assert.equal(refused.status, 503)
    await until('readyz to say so', async () => {
      const { status, body } = await node.call('GET', '/readyz')
      return status === 503 && body.problems.includes('standby_not_confirming')
    })
    await pair.second.start()
    await until(
      'calls to be accepted again',
      async () => (await send(node, tenant.serverKey, { recipient: freshPhone() })).status === 200,
      followMs,
    )
    await until('readyz to say so', async () => (await node.call('GET', '/readyz')).status === 200, followMs)
  })

  it('the primary dies under load and the standby is promoted: nothing accepted is lost, calls fail with 503 for seconds', async () => {
    const load = startLoad(node, tenant)
    try {
      await until('calls to be accepted', () => load.accepted.length > 20, followMs)
      await pair.first.crash()
      await until('calls to fail', () => load.others.length > 0, followMs)
      await pair.second.query('select pg_promote()')
      const before = load.accepted.length
      await until('calls to be accepted again', () => load.accepted.length > before + 20, followMs)
    } finally {
      await load.stop()
    }
    for (const { status, retryAfter } of load.others) {
      assert.equal(status, 503)
      assert.ok(Number(retryAfter) >= 1)
    }
    assert.equal(await storedAt(pair.second, load.accepted), load.accepted.length)
    await until(
      'readyz to say so',
      async () => {
        const { status, body } = await node.call('GET', '/readyz')
        return status === 200 && body.database_hosts?.join() === 'unreachable,primary'
      },
      followMs,
    )
  })

  it('the old primary, which comes back and takes writes, is seen to be behind and not written to', async () => {
    await pair.first.start()
    await until('it to be seen', async () => (await hosts())?.join() === 'behind,primary', followMs)
    const sent = await send(node, tenant.serverKey, { recipient: freshPhone() })
    assert.equal(sent.status, 200)
    assert.equal(await storedAt(pair.second, [sent.body.otp_id]), 1)
    assert.equal(await storedAt(pair.first, [sent.body.otp_id]), 0)
  })

  it('the old primary is not read from either, though it is no standby', async () => {
    const primary = openDatabase(pair.second.url, 2, () => {})
    let looks = 0
    const nowMs = () => {
      looks++
      return Date.now()
    }
    const reading = openReadDatabase(primary, {
      url: pair.first.url,
      connections: 4,
      clock: { nowMs },
      log: () => {},
      lookEveryMs: 50,
    })
    try {
      await until('it to be seen', () => reading.problem() === 'read_database_lagging')
      const { rows } = await reading.database.query<{ port: number }>({
        text: "select current_setting('port')::int as port",
      })
      assert.equal(rows[0]?.port, pair.second.port)
      // Now nobody knows which one is the primary.
      await primary.close()
      looks = 0
      await until('it to be looked at again', () => looks > 3)
      assert.equal(reading.problem(), 'read_database_lagging')
    } finally {
      await reading.close()
      // It may be closed already.
      await primary.close().catch(() => {})
    }
  })

  it('the new one itself may be read from', async () => {
    const primary = openDatabase(pair.second.url, 2, () => {})
    const options = { connections: 4, clock: { nowMs: Date.now }, log: () => {}, lookEveryMs: 50 }
    const reading = openReadDatabase(primary, { url: pair.second.url, ...options })
    try {
      await until('it to be read', () => reading.problem() === null && reading.lagSeconds() === 0)
    } finally {
      await reading.close()
      await primary.close()
    }
  })

  it('what was remembered of the old one is forgotten, though the new one counts as many changes', async () => {
    const databases = [pair.first, pair.second].map(({ url }) => openDatabase(url, 1, () => {}))
    const [old, promoted] = databases
    assert.ok(old && promoted)
    // The old one would wait for its standby, which is gone.
    const change = 'set synchronous_commit = local; update changes set revision = 1000'
    for (const { query } of [pair.first, pair.second]) await query(change)
    let using = old
    const query: Database['query'] = (statement) => using.query(statement)
    const watch = new ChangeWatch({ ...old, query }, new DatabaseClock(), async () => {}, assert.ifError)
    const find = watch.remember(async () => (using === old ? 'old' : 'new'), 1)
    try {
      await watch.start()
      assert.equal(await find('key'), 'old')
      using = promoted
      await until('it to be found anew', async () => (await find('key')) === 'new')
    } finally {
      watch.close()
      for (const database of databases) await database.close()
    }
  })

  it('a host that hangs does not delay what is heard of another', async () => {
    let askedMs = 0
    const sockets = new Set<Socket>()
    const hanging = createServer((socket) => {
      askedMs = performance.now()
      sockets.add(socket.on('error', () => {}))
    })
    await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve))
    const address = hanging.address()
    assert.ok(address && typeof address === 'object')
    const url = pair.second.url.replace('@', `@127.0.0.1:${address.port},`)
    const heardAfterMs: number[] = []
    const move = () => heardAfterMs.push(performance.now() - askedMs)
    const primary = new Primary(hostsOf(url), { move, seen: () => {} })
    const setReadOnly = async (state: 'on' | 'off') => {
      const [asked, moved] = [askedMs, heardAfterMs.length]
      await until('the one that hangs to be asked', () => askedMs > asked)
      await pair.second.query(`alter system set default_transaction_read_only = ${state}`)
      await pair.second.query('select pg_reload_conf()')
      await until('the other to be heard', () => {
        primary.nudge()
        return heardAfterMs.length > moved
      })
    }
    try {
      await primary.firstLook
      // Each look at the hanging host takes two seconds, so a change heard sooner did not wait for it.
      for (let tries = 0; tries < 5 && Math.min(...heardAfterMs) > 1_500; tries++) {
        await setReadOnly('on')
        await setReadOnly('off')
      }
      assert.ok(Math.min(...heardAfterMs) < 1_500, heardAfterMs.join())
    } finally {
      primary.close()
      await pair.second.query('alter system reset default_transaction_read_only')
      await pair.second.query('select pg_reload_conf()')
      for (const socket of sockets) socket.destroy()
      hanging.close()
    }
  })

  it('the new one, demoted, is written to no more, and neither is the one behind it: 503 until one may be', async () => {
    await pair.second.query('alter system set default_transaction_read_only = on')
    await pair.second.query('select pg_reload_conf()')
    const refused = await until('a call to be refused', async () => {
      const answer = await send(node, tenant.serverKey, { recipient: freshPhone() })
      return answer.status !== 200 && answer
    })
    assert.equal(refused.status, 503)
    await until('readyz to say so', async () => {
      const { status, body } = await node.call('GET', '/readyz')
      return (
        status === 503 &&
        body.database_hosts.join() === 'behind,standby' &&
        body.problems.includes('no_primary')
      )
    })
    await pair.second.query('alter system reset default_transaction_read_only')
    await pair.second.query('select pg_reload_conf()')
    await until(
      'calls to be accepted again',
      async () => (await send(node, tenant.serverKey, { recipient: freshPhone() })).status === 200,
      followMs,
    )
  })
})
