import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { Closers, openWhole } from './closers.ts'
import type { LogFields } from './log.ts'

const stages = ['calls', 'work', 'database'] as const

function setUp() {
  const done: string[] = []
  const logged: LogFields[] = []
  const waited: string[] = []
  const closers = new Closers(stages, {
    log: (_level, _message, fields = {}) => logged.push(fields),
    onWaiting: (names) => waited.push(names.join(', ')),
  })
  return { done, logged, waited, closers }
}

function held() {
  let letGo = () => {}
  const until = new Promise<void>((resolve) => {
    letGo = resolve
  })
  return { until, letGo }
}

const turns = () => new Promise<void>((resolve) => setImmediate(resolve))

function withTimers(context: TestContext) {
  context.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  return async (ms: number) => {
    await turns()
    context.mock.timers.tick(ms)
    await turns()
  }
}

describe('what was opened', () => {
  it('closes stage by stage, and at once within a stage', async () => {
    const { done, closers } = setUp()
    const slow = held()
    closers.add('database', 'the database', () => done.push('database'))
    closers.add('work', 'one', async () => {
      await slow.until
      done.push('one')
    })
    closers.add('work', 'two', () => done.push('two'))
    closers.add('calls', 'calls', () => done.push('calls'))
    const closed = closers.close()
    await turns()
    assert.deepEqual(done, ['calls', 'two'])
    slow.letGo()
    await closed
    assert.deepEqual(done, ['calls', 'two', 'one', 'database'])
  })

  it('closes though something before it throws, which is logged by its name', async () => {
    const { done, logged, closers } = setUp()
    closers.add('database', 'the database', () => done.push('database'))
    closers.add('work', 'messages', () => {
      throw new Error('broken')
    })
    await closers.close()
    assert.deepEqual(done, ['database'])
    assert.equal(logged[0]?.part, 'messages')
  })

  it('closes though something before it never ends, once the time of that is over', async (context) => {
    const pass = withTimers(context)
    const { done, logged, closers } = setUp()
    closers.add('work', 'messages', () => new Promise(() => {}), 5_000)
    closers.add('database', 'the database', () => done.push('database'))
    const closed = closers.close()
    await pass(4_999)
    assert.deepEqual(done, [])
    await pass(1)
    await closed
    assert.deepEqual(done, ['database'])
    assert.deepEqual(logged, [{ part: 'messages', limit_ms: 5_000 }])
  })

  it('says every few seconds what is waited for, and nothing of what has closed', async (context) => {
    const pass = withTimers(context)
    const { waited, closers } = setUp()
    const slow = held()
    closers.add('work', 'messages', () => slow.until, 10_000)
    closers.add('work', 'upkeep', () => {})
    const closed = closers.close()
    await pass(2_999)
    assert.deepEqual(waited, [])
    await pass(1)
    await pass(3_000)
    slow.letGo()
    await closed
    await pass(9_000)
    assert.deepEqual(waited, ['messages', 'messages'])
  })

  it('closes once, and whoever asks again waits for it too', async () => {
    const { done, closers } = setUp()
    const slow = held()
    closers.add('work', 'messages', async () => {
      await slow.until
      done.push('messages')
    })
    const [first, second] = [closers.close(), closers.close()]
    slow.letGo()
    await second
    assert.deepEqual(done, ['messages'])
    await first
  })

  it('closes when opening fails half-way, and the failure is what is heard of', async () => {
    const done: string[] = []
    const opening = openWhole(stages, { log: () => {}, onWaiting: () => {} }, async (closers) => {
      closers.add('database', 'the database', () => done.push('database'))
      throw new Error('no port')
    })
    await assert.rejects(opening, /no port/)
    assert.deepEqual(done, ['database'])
  })
})
