/** The guard against pumping learns anew if people whom it refused come back and are approved. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { doubtGuards } from '../src/domain/insight/index.ts'
import { message, send, type Tenant, until, verify } from './harness/fixtures.ts'
import { startNode } from './harness/node.ts'
import { attack, blockNumbers, createGrownTenant, enforce, freshAddress } from './harness/pumping.ts'
import { startService } from './harness/service.ts'
import { attentionOf } from './insight-attention-support.ts'

const { database, node, close } = await startService()
after(close)

const attention = attentionOf(node)
const misfitOf = async (tenant: Tenant) =>
  (await attention(tenant)).find(({ kind }) => kind === 'pumping_misfit')?.message

/** Reading them writes pending refusals first. */
const writeRefused = (appId: string) => node.manage('GET', `/apps/${appId}/refusals/held-people`)

/** What upkeep does at times. Returns how often it found this app. */
async function doubt({ appId }: Tenant): Promise<number> {
  await writeRefused(appId)
  const found: string[] = []
  await doubtGuards({
    database: node.app.database,
    onMisfit: (app) => found.push(app.appId),
    onError: (error) => assert.fail(String(error)),
  })
  return found.filter((one) => one === appId).length
}

interface StoredFit {
  readonly strangers: { readonly n: number }
  readonly learnt?: number
  readonly misfit?: number
}
const fitOf = async ({ appId }: Tenant): Promise<StoredFit> => {
  const [row] = await database.query<{ state: string }>(
    `select state from pumping_states where app_id = $1 and row_key = 'fit'`,
    [appId],
  )
  assert.ok(row)
  return JSON.parse(row.state)
}
/** Sets how many hours ago the app was first used, or the guard was found not to fit. */
const setAgo = ({ appId }: Tenant, field: 'since' | 'misfit', hours: number) =>
  database.query(
    `update pumping_states set state = jsonb_set(state::jsonb, array[$2],
       to_jsonb((extract(epoch from now() - make_interval(hours => $3)) * 1000)::bigint))::text
      where app_id = $1 and row_key = 'fit'`,
    [appId, field, hours],
  )

/** As in an app with a history: two of five new people type the code. */
const setUsed = ({ appId }: Tenant) =>
  database.query(
    `update pumping_states set state = jsonb_set(state::jsonb, '{strangers}', '{"n": 1000, "a": 400}')::text
      where app_id = $1 and row_key = 'fit'`,
    [appId],
  )

/** An app with a history, and the people whom its guard has refused; the first few of a range passed. */
async function createHolding(prefix: string, numbers: number) {
  const tenant = await createGrownTenant(node, database, enforce)
  const asked = blockNumbers(prefix, numbers)
  const { stopped } = await attack(node, tenant.serverKey, asked)
  assert.ok(stopped.length >= 20, `${stopped.length}`)
  await setAgo(tenant, 'since', 5)
  await setUsed(tenant)
  await writeRefused(tenant.appId)
  return { tenant, refused: asked.slice(-stopped.length) }
}

/** Lets them in on another channel, or by text messages while the guard only watches. */
const use = (tenant: Tenant, channel: 'whatsapp' | 'sms') =>
  node.manage('PATCH', `/apps/${tenant.appId}`, {
    routing: { default: [channel] },
    pumping: { mode: channel === 'sms' ? 'monitor' : 'enforce' },
  })

/** Each asks again, and types the code unless `isTyped` is false. */
async function comeBack({ serverKey }: Tenant, people: readonly string[], isTyped = true): Promise<void> {
  for (const recipient of people) {
    const earlier = node.capture.to(recipient).length
    const sent = await send(node, serverKey, { recipient, client_ip: freshAddress() })
    assert.equal(sent.status, 200, JSON.stringify(sent.body))
    if (!isTyped) continue
    const { code } = await message(node, recipient, earlier)
    const { body } = await verify(node, serverKey, sent.body.otp_id, code)
    assert.equal(body.status, 'approved', JSON.stringify(body))
  }
}

describe('a guard that has refused people', () => {
  it('learns anew when they are approved later, on another channel or by a text message, and says what showed it', async () => {
    const { tenant, refused } = await createHolding('+99450341', 40)
    assert.equal(await doubt(tenant), 0)
    await use(tenant, 'whatsapp')
    await comeBack(tenant, refused.slice(0, 10))
    await use(tenant, 'sms')
    await comeBack(tenant, refused.slice(10, 20))
    assert.equal(await misfitOf(tenant), undefined)
    assert.equal(await doubt(tenant), 1)
    assert.match(
      (await misfitOf(tenant)) ?? '',
      new RegExp(
        `of those who were refused within a day, hardly fewer than usual were approved \\(20 of ${refused.length}, compared with 39 % of the app’s people\\), so it has held back real people\\. It is`,
      ),
    )
    // The guard is on again, but only watches what it would close.
    await node.manage('PATCH', `/apps/${tenant.appId}`, enforce)
    const { stopped } = await attack(node, tenant.serverKey, blockNumbers('+99450342', 30))
    assert.deepEqual(stopped, [])
  })

  it('goes on where nobody comes back, and where far fewer do than its people type codes', async () => {
    const { tenant, refused } = await createHolding('+99450343', 48)
    assert.equal(await doubt(tenant), 0)
    await use(tenant, 'whatsapp')
    await comeBack(tenant, refused.slice(0, 6))
    assert.equal(await doubt(tenant), 0)
    assert.equal(await misfitOf(tenant), undefined)
  })

  it('goes on where numbers that type a code now and then are held', async () => {
    const { tenant, refused } = await createHolding('+99450344', 30)
    await use(tenant, 'whatsapp')
    for (const isTyped of [false, true, false, false, false, false, false])
      await comeBack(tenant, refused, isTyped)
    const { body } = await writeRefused(tenant.appId)
    assert.equal(body.approved_later, refused.length)
    assert.equal(await doubt(tenant), 0)
  })

  it('goes on where it refused more than is known of one by one, and they may all be an attack', async () => {
    const { tenant, refused } = await createHolding('+99450345', 40)
    await use(tenant, 'whatsapp')
    await comeBack(tenant, refused.slice(0, 20))
    const unseen = (count: number) =>
      database.query(
        `update refusal_counts set count = count + $2 where app_id = $1 and span = 'hour' and rule = 'pumping'`,
        [tenant.appId, count],
      )
    await unseen(500)
    assert.equal(await doubt(tenant), 0)
    await unseen(-500)
    assert.equal(await doubt(tenant), 1)
  })

  it('goes on where only small places were closed, which learning does not open', async () => {
    const { tenant, refused } = await createHolding('+99450346', 40)
    await use(tenant, 'whatsapp')
    await comeBack(tenant, refused.slice(0, 20))
    const setLevel = (level: string) =>
      database.query(
        `update refusals set facts = jsonb_set(facts::jsonb, '{level}', to_jsonb($2::text)) where app_id = $1`,
        [tenant.appId, level],
      )
    await setLevel('r1k')
    assert.equal(await doubt(tenant), 0)
    await setLevel('r10k')
    assert.equal(await doubt(tenant), 1)
  })

  it('is found once, however many nodes ask, and the same people do not count again when it has learnt', async () => {
    const { tenant, refused } = await createHolding('+99450347', 40)
    await use(tenant, 'whatsapp')
    await comeBack(tenant, refused.slice(0, 20))
    const found = await Promise.all(Array.from({ length: 6 }, () => doubt(tenant)))
    assert.equal(found.filter((count) => count === 1).length, 1)
    const { misfit } = await fitOf(tenant)
    assert.ok(misfit)
    assert.equal(await doubt(tenant), 0)
    assert.equal((await fitOf(tenant)).misfit, misfit)
    await setAgo(tenant, 'misfit', 72)
    assert.equal(await misfitOf(tenant), undefined, 'it acts again')
    assert.equal(await doubt(tenant), 0)
  })

  it('is found by a running node, which says so in its log', async () => {
    const { tenant, refused } = await createHolding('+99450349', 40)
    await use(tenant, 'whatsapp')
    await comeBack(tenant, refused.slice(0, 20))
    const other = await startNode(database.url)
    try {
      const said = await until('upkeep to ask', () =>
        other.logged.find(({ fields }) => fields.app_id === tenant.appId),
      )
      const message = 'the guard against pumping does not fit: it held people, and learns again'
      assert.deepEqual([said.level, said.message], ['warn', message])
      assert.ok(await misfitOf(tenant))
    } finally {
      await other.close()
    }
  })

  it('loses nothing that is counted at the same time', async () => {
    const { tenant, refused } = await createHolding('+99450348', 40)
    await use(tenant, 'whatsapp')
    await comeBack(tenant, refused.slice(0, 20))
    await use(tenant, 'sms')
    const before = (await fitOf(tenant)).strangers.n
    const sends = blockNumbers('+4474006', 60).map((recipient) =>
      send(node, tenant.serverKey, { recipient, client_ip: freshAddress() }),
    )
    const [found, ...answers] = await Promise.all([doubt(tenant), ...sends])
    assert.equal(found, 1)
    const passed = answers.filter(({ status }) => status === 200).length
    const fit = await fitOf(tenant)
    assert.ok(fit.misfit)
    assert.ok(Math.abs(fit.strangers.n - before - passed) < 0.1, `${fit.strangers.n} ${before} ${passed}`)
  })
})
