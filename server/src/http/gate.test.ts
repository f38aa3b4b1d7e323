import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AppError } from '@countersign/contract'
import type { Principal } from '../domain/tenancy/index.ts'
import { askBehindGate, Gate } from './gate.ts'
import type { Authenticate } from './principal.ts'

/** A gate with `inside` calls in it, one of which leaves every `everyMs`. */
function gateAt(everyMs: number, inside: number, forMs = 60_000) {
  let nowMs = 0
  const gate = new Gate(() => nowMs)
  const leaving = Array.from({ length: inside }, () => gate.enter('busy'))
  while (nowMs < forMs) {
    nowMs += everyMs
    leaving.shift()?.()
    leaving.push(gate.enter('busy'))
  }
  const passMs = (ms: number) => {
    nowMs += ms
  }
  return {
    gate,
    passMs,
    leaveAll: () => {
      for (const leave of leaving.splice(0)) leave()
    },
  }
}

describe('the gate', () => {
  it('is open while calls are quick, however many there are', () => {
    assert.ok(gateAt(0.02, 4_500, 500).gate.hasRoom('busy'))
  })

  it('lets in what can be answered in a second, and of one company most of that', () => {
    // 5,000 calls leave in a second.
    assert.ok(gateAt(0.2, 3_950, 7_000).gate.hasRoom('busy'))
    const { gate } = gateAt(0.2, 4_050, 7_000)
    assert.ok(!gate.hasRoom('busy'))
    for (let count = 4_050; count < 4_980; count++) gate.enter('other')
    assert.ok(gate.hasRoom('other'))
    for (let count = 4_980; count < 5_050; count++) gate.enter('other')
    assert.ok(!gate.hasRoom('third'))
  })

  it('has room for others where one company has taken its part', () => {
    const { gate } = gateAt(0.2, 4_050, 7_000)
    assert.ok(gate.hasRoom('quiet'))
  })

  it('has room for a burst, however slow it is', () => {
    assert.ok(gateAt(500, 1_990, 4_000).gate.hasRoom('busy'))
    assert.ok(!gateAt(500, 2_010, 4_000).gate.hasRoom('busy'))
  })

  it('has less room for a crowd that stays, and never none', () => {
    assert.ok(!gateAt(500, 1_990).gate.hasRoom('busy'))
    assert.ok(gateAt(500, 990).gate.hasRoom('busy'))
  })

  it('is bounded where nobody comes out at all', () => {
    let nowMs = 0
    const gate = new Gate(() => nowMs)
    for (let count = 0; count < 2_000; count++) gate.enter('busy')
    assert.ok(gate.hasRoom('busy'))
    nowMs = 1_001
    assert.ok(!gate.hasRoom('busy'))
  })

  it('is open again when the flood is over', () => {
    const { gate, leaveAll, passMs } = gateAt(0.2, 4_050, 7_000)
    leaveAll()
    assert.ok(gate.hasRoom('busy'))
    passMs(60_000)
    const burst = Array.from({ length: 1_990 }, () => gate.enter('busy'))
    assert.ok(gate.hasRoom('busy'), 'what was slow long ago bounds no burst')
    for (const leave of burst) leave()
  })
})

describe('who calls a service that is full', () => {
  const principal = { app: { companyId: 'busy' } } as Principal
  const asked: string[] = []
  const answering: Authenticate = async (_access, { authorization = '', onKnown }) => {
    asked.push(authorization)
    onKnown?.(principal)
    return principal
  }
  const recall = (keyText: string) => (keyText === 'known' ? principal : undefined)

  /** A gate that no call ever leaves. */
  const fullGate = () => {
    let nowMs = 0
    const gate = new Gate(() => nowMs)
    const fill = (company: string, count: number) => {
      for (let entered = 0; entered < count; entered++) gate.enter(company)
      nowMs += 2_000
    }
    return { gate, fill }
  }

  const ask = (authenticate: Authenticate, authorization: string, onKnown = (_: Principal) => {}) =>
    authenticate('server_key', { authorization, sessionToken: () => null, onKnown })

  it('is refused without being looked up, and it is known whose call that was', async () => {
    const { gate, fill } = fullGate()
    const authenticate = askBehindGate(answering, gate, recall)
    fill('busy', 2_000)
    asked.length = 0
    const seen: Principal[] = []
    await assert.rejects(
      ask(authenticate, 'Bearer known', (known) => seen.push(known)),
      (error) => error instanceof AppError && error.errorName === 'UnavailableError',
    )
    assert.deepEqual([asked, seen], [[], [principal]])
  })

  it('is looked up where its key is not remembered, and beyond their part those are refused too', async () => {
    const { gate, fill } = fullGate()
    const authenticate = askBehindGate(answering, gate, recall)
    fill('busy', 2_000)
    assert.equal(await ask(authenticate, 'Bearer new'), principal)
    fill('', 500)
    await assert.rejects(ask(authenticate, 'Bearer newer'))
  })

  it('is let in to everything that needs no key', async () => {
    const { gate, fill } = fullGate()
    fill('busy', 4_000)
    const authenticate = askBehindGate(answering, gate, recall)
    assert.equal(
      await authenticate('operator', { authorization: 'Bearer x', sessionToken: () => null }),
      principal,
    )
  })

  it('need not say who they are while there is room for everybody', () => {
    const gate = new Gate(() => 0)
    for (let count = 0; count < 999; count++) gate.enter('busy')
    assert.ok(gate.hasRoomForAll())
    gate.enter('busy')
    assert.ok(!gate.hasRoomForAll())
  })
})
