import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { askServers, createResolve, type ResolveSources } from './resolve-name.ts'

const failing = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }))
const nobody: ResolveSources = {
  readHosts: async () => '',
  readSettings: async () => '',
  askDns: failing('ENOTFOUND'),
  askSystem: failing('ENOTFOUND'),
}
const address4 = { address: '192.0.2.1', family: 4 }
const address6 = { address: '2001:db8::1', family: 6 }

const typeA = 1
const typeAaaa = 28
const noSuchName = 3

interface Records {
  readonly [type: number]: Buffer
}

/** Answers for the given names, is silent about `silent.…`, and knows no others. */
async function startDns(names: Readonly<Record<string, Records>>) {
  const socket = createSocket('udp4').bind(0, '127.0.0.1')
  await once(socket, 'listening')
  socket.on('message', (query, { port, address }) => {
    const end = query.indexOf(0, 12)
    const labels: string[] = []
    for (let at = 12; at < end; at += 1 + (query[at] ?? 0))
      labels.push(query.toString('latin1', at + 1, at + 1 + (query[at] ?? 0)))
    const name = labels.join('.')
    if (labels[0] === 'silent') return
    const record = names[name]?.[query.readUInt16BE(end + 1)]
    const answer = record
      ? [
          Buffer.from([0xc0, 12]),
          query.subarray(end + 1, end + 5),
          Buffer.from([0, 0, 0, 0, 0, record.length]),
          record,
        ]
      : []
    const header = Buffer.from([
      0x81,
      names[name] ? 0x80 : 0x80 + noSuchName,
      0,
      1,
      0,
      record ? 1 : 0,
      0,
      0,
      0,
      0,
    ])
    const question = query.subarray(12, end + 5)
    socket.send(Buffer.concat([query.subarray(0, 2), header, question, ...answer]), port, address)
  })
  return {
    servers: [`127.0.0.1:${socket.address().port}`],
    [Symbol.asyncDispose]: async () => void socket.close(),
  }
}

describe('the addresses of a name that a customer sets', () => {
  it('are found while the servers of a hundred other names are silent', async () => {
    await using dns = await startDns({ 'good.example': { [typeA]: Buffer.from([192, 0, 2, 1]) } })
    const resolve = createResolve({ ...nobody, askDns: (name) => askServers(name, dns.servers) })
    let given = 0
    for (let count = 0; count < 100; count++) resolve(`silent.${count}.example`).catch(() => given++)
    assert.deepEqual(await resolve('good.example'), [address4])
    assert.equal(given, 0)
  })

  it('are those of both families', async () => {
    await using dns = await startDns({
      'both.example': {
        [typeA]: Buffer.from([192, 0, 2, 1]),
        [typeAaaa]: Buffer.from('20010db8000000000000000000000001', 'hex'),
      },
    })
    assert.deepEqual(await askServers('both.example', dns.servers), [address4, address6])
    await assert.rejects(askServers('other.example', dns.servers), { code: 'ENOTFOUND' })
  })

  it('are those of the hosts file where it has the name', async () => {
    const resolve = createResolve({
      ...nobody,
      readHosts: async () =>
        '# a comment\n192.0.2.1\tcarrier.example Carrier # ours\n2001:db8::1 carrier.example\n',
    })
    assert.deepEqual(await resolve('CARRIER.example'), [address4, address6])
    assert.deepEqual(await resolve('carrier'), [address4])
    await assert.rejects(resolve('ours'), { code: 'ENOTFOUND' })
  })

  it('are asked of the system where DNS knows none, and never of two names at once', async () => {
    let asking = 0
    let mostAtOnce = 0
    const asked: string[] = []
    const resolve = createResolve({
      ...nobody,
      askSystem: async (name) => {
        mostAtOnce = Math.max(mostAtOnce, ++asking)
        asked.push(name)
        await new Promise(setImmediate)
        asking--
        return [address4]
      },
    })
    const found = await Promise.all(['one.internal', 'two.internal', 'short'].map((name) => resolve(name)))
    assert.deepEqual(found, [[address4], [address4], [address4]])
    assert.deepEqual(asked.toSorted(), ['one.internal', 'short', 'two.internal'])
    assert.equal(mostAtOnce, 1)
  })

  it('are looked for in the domains of the network first where the name has few dots', async () => {
    const ofCluster =
      '# a comment\ndomain old.example\nnameserver 192.0.2.53\nsearch ns.svc.cluster.local  cluster.local .\noptions timeout:1 ndots:2\n'
    const inside = new Set(['mail.dev.cluster.local', 'mail.dev', 'smsc.ns.svc.cluster.local'])
    const asked: string[] = []
    const resolve = createResolve({
      ...nobody,
      readSettings: async () => ofCluster,
      askDns: async (name) => {
        asked.push(name)
        return inside.has(name) ? [address4] : failing(name.includes('.ns.') ? 'ESERVFAIL' : 'ENOTFOUND')()
      },
    })
    const namesAskedFor = async (name: string) => {
      asked.length = 0
      await resolve(name).catch(() => {})
      return [...asked]
    }
    assert.deepEqual(await namesAskedFor('mail.dev'), [
      'mail.dev.ns.svc.cluster.local',
      'mail.dev.cluster.local',
    ])
    assert.deepEqual(await namesAskedFor('smsc'), ['smsc.ns.svc.cluster.local'])
    assert.deepEqual(await namesAskedFor('short'), [
      'short.ns.svc.cluster.local',
      'short.cluster.local',
      'short',
    ])
    assert.deepEqual(await namesAskedFor('hooks.example.com'), ['hooks.example.com'])
    assert.deepEqual(await namesAskedFor('mail.dev.'), ['mail.dev.'])
  })

  it('are asked for once, however many want them at the same time', async () => {
    let asked = 0
    const resolve = createResolve({
      ...nobody,
      askDns: async () => {
        asked++
        return [address4]
      },
    })
    const found = await Promise.all(Array.from({ length: 500 }, () => resolve('carrier.example')))
    assert.deepEqual([found.length, asked], [500, 1])
    await resolve('carrier.example')
    assert.equal(asked, 2)
  })

  it('are asked of the system where servers refuse a name of one word', async () => {
    const resolve = createResolve({
      ...nobody,
      askDns: failing('EREFUSED'),
      askSystem: async () => [address4],
    })
    assert.deepEqual(await resolve('smsc'), [address4])
    await assert.rejects(resolve('smsc.example'), { code: 'EREFUSED' })
  })

  it('are not asked of the system where DNS did not answer', async () => {
    const resolve = createResolve({
      ...nobody,
      askDns: failing('ETIMEOUT'),
      askSystem: () => assert.fail('it would keep a thread'),
    })
    await assert.rejects(resolve('silent.example'), { code: 'ETIMEOUT' })
  })
})
