import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { lastsMs } from './alert.ts'
import { type NotifyDependencies, notify } from './notify.ts'

const notice = {
  id: 'ntc_1',
  type: 'alert.started',
  payload: { message: '<b>Acme & Co</b> fails', since: '2026-01-01T00:00:00.000Z' },
}
const sent = { body: JSON.stringify(notice), secrets: null }

/** A world that answers posts with this status, and mails as these accounts do, one after the other. */
function worldOf({ status = 200, outcomes = [] }: { status?: number; outcomes?: readonly object[] }) {
  const posted: string[] = []
  const mailed: { subject: string; html: string; text: string }[] = []
  const accounts = outcomes.map((outcome) => ({
    account: {
      send: async (message: (typeof mailed)[number]) => {
        mailed.push(message)
        return outcome
      },
    },
  }))
  const dependencies = {
    clock: { nowMs: () => Date.now() },
    post: async (_url: string, body: string) => {
      posted.push(body)
      return { status, error: null }
    },
    providers: { usable: () => accounts },
    publicUrl: 'https://codes.example.com',
  } as unknown as NotifyDependencies
  return { dependencies, posted, mailed }
}

const slack = { kind: 'slack', to: 'https://hooks.example.com/1' } as const
const email = { kind: 'email', to: 'ops@example.com' } as const

describe('notifying a channel', () => {
  it('has been told by a status of 2xx alone', async () => {
    for (const [status, isNotified] of [
      [200, true],
      [204, true],
      [299, true],
      [199, false],
      [302, false],
      [410, false],
      [500, false],
    ] as const) {
      const { dependencies } = worldOf({ status })
      assert.equal(
        (await notify(dependencies, 'operator', slack, sent)).isNotified,
        isNotified,
        String(status),
      )
    }
  })

  it('writes what is in a name as text, in Slack’s format and in HTML', async () => {
    const { dependencies, posted, mailed } = worldOf({ outcomes: [{ kind: 'accepted' }] })
    await notify(dependencies, 'operator', slack, sent)
    const shown = '&lt;b&gt;Acme &amp; Co&lt;/b&gt; fails'
    assert.deepEqual(JSON.parse(posted[0] ?? ''), { text: `Alert: ${shown}` })
    await notify(dependencies, 'operator', email, sent)
    assert.ok(mailed[0]?.html.includes(`<p>Alert: ${shown}</p>`))
    assert.ok(mailed[0]?.text.includes(notice.payload.message))
  })

  it('mails by the next account where one does not take it, and not again what may have left', async () => {
    const error = { code: 'x', message: 'No.' }
    const [refused, unsure, taken] = [
      { kind: 'retry', error },
      { kind: 'uncertain', error },
      { kind: 'accepted' },
    ]
    for (const [outcomes, mails, isNotified] of [
      [[refused, taken], 2, true],
      [[unsure, taken], 1, true],
      [[refused, refused], 2, false],
      [[], 0, false],
    ] as const) {
      const { dependencies, mailed } = worldOf({ outcomes })
      assert.equal((await notify(dependencies, 'operator', email, sent)).isNotified, isNotified)
      assert.equal(mailed.length, mails)
    }
  })

  it('tries every account that errs at once, and no third one after two that hang, while whoever asked still waits', async () => {
    for (const [seconds, sends] of [
      [0, 5],
      [12, 2],
    ] as const) {
      let [nowMs, tried] = [0, 0]
      const send = async () => {
        nowMs += seconds * 1_000
        tried++
        return { kind: 'retry', error: { code: 'x', message: 'No.' } }
      }
      const { dependencies } = worldOf({})
      const providers = { usable: () => Array.from({ length: 5 }, () => ({ account: { send } })) }
      const world = { ...dependencies, clock: { nowMs: () => nowMs }, providers }
      await notify(world as unknown as NotifyDependencies, 'operator', email, sent)
      assert.equal(tried, sends)
    }
  })

  it('signs webhooks, and calls none without a secret', async () => {
    const { dependencies, posted } = worldOf({})
    const webhook = { kind: 'webhook', to: slack.to } as const
    assert.equal((await notify(dependencies, 'operator', webhook, sent)).isNotified, false)
    assert.deepEqual(posted, [])
  })
})

it('a state lasts as many minutes as its rule demands, unless its check counts them or its bound is no time', () => {
  const setting = { enabled: true, threshold: 30, quiet_hours: true, recovery: true }
  assert.equal(lastsMs('webhook_paused', setting), 1_800_000)
  assert.equal(lastsMs('failing_provider', setting), 0)
  assert.equal(lastsMs('low_balance', setting), 0)
})
