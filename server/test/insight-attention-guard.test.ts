/** What the guard against pumping reports as needing attention: blocks, learning, and that it does not fit. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { createTenant, freshPhone, send } from './harness/fixtures.ts'
import { attack, blockNumbers } from './harness/pumping.ts'
import { startService } from './harness/service.ts'
import { attentionOf } from './insight-attention-support.ts'

const { database, node, close } = await startService({ role: 'api' })
after(close)

const attention = attentionOf(node)

describe('attention', () => {
  it('is asked for blocks against pumped traffic', async () => {
    const tenant = await createTenant(node, { pumping: { mode: 'monitor' } })
    assert.deepEqual(await attention(tenant), [])
    await attack(node, tenant.serverKey, blockNumbers('+99440123', 40))
    const { blocks } = (await node.manage('GET', `/apps/${tenant.appId}/blocks`)).body
    assert.ok(blocks.length > 0)
    const item = (await attention(tenant)).find(({ kind }) => kind === 'pumping_blocks')
    assert.equal(item?.severity, 'warning')
    assert.match(item?.message ?? '', new RegExp(`^${blocks.length} blocks? against pumped traffic`))
    assert.match(item?.message ?? '', /only watches/)
    await node.manage('PATCH', `/apps/${tenant.appId}`, { pumping: { mode: 'enforce' } })
    const enforced = (await attention(tenant)).find(({ kind }) => kind === 'pumping_blocks')
    assert.doesNotMatch(enforced?.message ?? '', /only watches/)
  })

  it('is asked for blocks that an app would have raised, had it learnt', async () => {
    const tenant = await createTenant(node, { pumping: { mode: 'auto' } })
    await attack(node, tenant.serverKey, blockNumbers('+99440124', 36))
    const item = (await attention(tenant)).find(({ kind }) => kind === 'pumping_learning')
    assert.equal(item?.severity, 'warning')
    assert.match(
      item?.message ?? '',
      /is still learning .* 0 approved; it needs 200.* would have held back \d+ messages/,
    )
    await node.manage('PATCH', `/apps/${tenant.appId}`, { pumping: { declared_conversion: 0.5 } })
    assert.ok(!(await attention(tenant)).some(({ kind }) => kind === 'pumping_learning'))
  })

  it('is asked for nothing to be learnt of an app that has sent nothing, though blocks of its company hold for it too', async () => {
    const tenant = await createTenant(node, { pumping: { mode: 'auto' } })
    await attack(node, tenant.serverKey, blockNumbers('+99440125', 36))
    const { body } = await node.manage('POST', `/companies/${tenant.companyId}/apps`, { name: 'New' })
    const items = await attention({ appId: body.app_id })
    assert.ok(items.some(({ kind }) => kind === 'pumping_blocks'))
    assert.ok(!items.some(({ kind }) => kind === 'pumping_learning'), JSON.stringify(items))
  })

  it('is asked for when the guard does not fit the app, for as long as it learns again', async () => {
    const tenant = await createTenant(node, { pumping: { mode: 'enforce' } })
    assert.equal((await send(node, tenant.serverKey, { recipient: freshPhone() })).status, 200)
    const misfit = async (days: number, pumping: Record<string, unknown>) => {
      await database.query(
        `update pumping_states set state = jsonb_set(state::jsonb, '{misfit}',
           to_jsonb((extract(epoch from now() - make_interval(days => $2)) * 1000)::bigint))::text
          where app_id = $1 and row_key = 'fit'`,
        [tenant.appId, days],
      )
      await node.manage('PATCH', `/apps/${tenant.appId}`, { pumping })
      return (await attention(tenant)).find(({ kind }) => kind === 'pumping_misfit')
    }
    const item = await misfit(1, { mode: 'enforce' })
    assert.equal(item?.severity, 'warning')
    assert.match(
      item?.message ?? '',
      /: of those it held back, hardly fewer than usual were approved\. It is learning again/,
    )
    const shown = async (evidence: object) => {
      await database.query(
        `update pumping_states set state = jsonb_set(state::jsonb, '{shown}', $2::jsonb)::text
          where app_id = $1 and row_key = 'fit'`,
        [tenant.appId, JSON.stringify(evidence)],
      )
      return (await misfit(1, { mode: 'enforce' }))?.message ?? ''
    }
    // Fewer than half of a sample: that is no proof of most, and of nobody else.
    assert.match(
      await shown({ by: 'passed', n: 20.4, a: 8.9, e: 0.42 }),
      /: of those who were let through a closed place or sent to a link, hardly fewer than usual were approved \(9 of 20, compared with 42 % of the app’s people\), so those it holds back are probably real people too\. It is/,
    )
    assert.match(
      await shown({ by: 'refused', n: 60, a: 31, e: 0.55 }),
      /: of those who were refused within a day, hardly fewer than usual were approved \(31 of 60, compared with 55 % of the app’s people\), so it has held back real people\. It is/,
    )
    assert.equal(await misfit(4, { mode: 'enforce' }), undefined, 'it acts again')
    assert.ok(await misfit(4, { mode: 'auto' }), 'it learns until it has learnt')
    assert.equal(await misfit(4, { mode: 'auto', declared_conversion: 0.5 }), undefined, 'it acts again')
  })

  it('does not call a carrier or country only watched that is closed because nobody at all was approved', async () => {
    const tenant = await createTenant(node, { pumping: { mode: 'auto' } })
    const { stopped } = await attack(node, tenant.serverKey, blockNumbers('+99440126', 70))
    assert.ok(stopped.length > 0)
    const { blocks } = (await node.manage('GET', `/apps/${tenant.appId}/blocks`)).body
    const levels = blocks.map(({ level }: { level: string }) => level)
    assert.deepEqual(levels.toSorted(), ['carrier', 'country', 'r10k'])
    const saidOf = async (kind: string) =>
      (await attention(tenant)).find((item) => item.kind === kind)?.message ?? ''
    assert.match(await saidOf('pumping_learning'), /only watches 1 wide block,/)
    assert.match(
      await saidOf('pumping_blocks'),
      /carriers and countries as long as nobody has been approved or/,
    )
  })
})
