/**
 * Generated from the table of operations: callers from elsewhere × every operation × ids of another company, of the
 * installation and of nobody × every place where a caller can name their own company. New operations are included
 * automatically.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Operation, operations, type Role, roles } from '@countersign/contract'
import { providerKinds } from '../src/channels/index.ts'
import { newId } from '../src/platform/ids.ts'
import { tenantTables } from '../src/platform/tenant.ts'
import { createTenant, started, type Tenant } from './harness/fixtures.ts'
import type { Answer, Node } from './harness/node.ts'
import { invite, joinCompany, type Signed, signIn } from './harness/people.ts'
import { type Service, startService } from './harness/service.ts'
import { validBody } from './harness/valid-bodies.ts'

type Ids = Readonly<Record<string, string>>

const ownCompany = 'cmp_0000000000dashb0ardsgn1n00'
const ownApp = 'app_0000000000dashb0ardsgn1n00'

const isManagement = ({ path, access }: Operation) => path.startsWith('/manage/') && access !== 'public'
const isAboutSomething = ({ path, company }: Operation) => path.includes('{') || company !== undefined
const isRole = (access: string): access is Role => roles.some((role) => role === access)
const isOfSession = ({ access }: Operation) => access === 'session'

const table = Object.entries<Operation>(operations)
  .filter(
    ([, operation]) => isManagement(operation) && isAboutSomething(operation) && !isOfSession(operation),
  )
  .map(([name, operation]) => ({ name, operation, valid: validBody(name, operation) }))
type Entry = (typeof table)[number]

/** Where a call names the caller's own company beside ids of others. */
const places = [
  'nowhere',
  'query',
  'body',
  'query and body',
  'twice in the query',
  'theirs and mine',
] as const
type Place = (typeof places)[number]

/** Tables that workers and sign-ins keep writing. Refusals are in the audit trail, which the last test checks. */
const isByItself =
  /^(audit_chains|audit_entries|event_attempts|guess_counts|key_counts|call_errors|call_error_counts|provider_minutes|provider_states|route_counts|limits|ledger|tokens|pumping_\w+|spend_\w+|(?:way_)?figures|verifications|deliveries|decisions|events)$/

/** The rows of companies, table by table, without those that change by themselves. */
const rowsOfAny = tenantTables
  .filter((name) => !isByItself.test(name))
  .map(
    (name) =>
      `select '${name} ' || (to_jsonb(t) - array['last_used_at', 'status', 'attempt', 'next_attempt_at', 'sent_at',
              'updated_at', 'charge', 'message_id', 'message_hash', 'error_code', 'error_message', 'is_retry',
              'failures', 'reason', 'paused_at'])::text as row
         from "${name}" t where company_id = any($1)`,
  )
  .join(' union all ')
  .concat(' order by 1')

describe('whoever is somebody in another company', () => {
  let service: Service
  let node: Node
  let mine: Tenant
  let theirs: Ids
  let untouched: readonly string[]
  let people: Readonly<Record<string, Signed>>
  const installations: Ids = {
    company_id: ownCompany,
    app_id: ownApp,
    person_id: newId('person', 0),
  }

  before(async () => {
    service = await startService({ kinds: new Map(Object.entries(providerKinds)) })
    node = service.node
    const victim = await createTenant(node)
    mine = await createTenant(node)
    theirs = await idsOf(victim)
    const both = await joinCompany(node, mine.companyId, 'owner')
    await invite(node, victim.companyId, both.email, 'viewer')
    people = {
      'an owner elsewhere': await joinCompany(node, mine.companyId, 'owner'),
      'a developer elsewhere': await joinCompany(node, mine.companyId, 'developer'),
      'a viewer elsewhere': await joinCompany(node, mine.companyId, 'viewer'),
      'a viewer here who is an owner elsewhere': await signIn(node, both.email),
    }
    const operators = await node.manage('POST', '/providers', provider({}))
    assert.equal(operators.status, 201, JSON.stringify(operators.body))
    Object.assign(installations, { provider_id: operators.body.provider_id })
    untouched = await rowsOfOthers()
    for (const name of ['apps', 'members', 'providers', 'webhook_endpoints'])
      assert.ok(
        untouched.some((row) => row.startsWith(`${name} `)),
        `nothing is there to be changed in ${name}`,
      )
  })
  after(() => service.close())

  const provider = (more: object) => ({
    channel: 'email',
    kind: 'smtp',
    settings: { host: '127.0.0.1', port: 25, from: 'a@example.com' },
    ...more,
  })

  /** One of everything that has an id. */
  async function idsOf({ companyId, appId, serverKey }: Tenant): Promise<Ids> {
    await node.manage('PUT', `/apps/${appId}/webhook`, { url: 'http://127.0.0.1:9/' })
    const event = (await node.manage('POST', `/apps/${appId}/webhook/test`)).body
    const { webhooks } = (await node.manage('GET', `/apps/${appId}/webhooks`)).body
    const key = (await node.manage('POST', `/apps/${appId}/keys`, { kind: 'server' })).body
    const account = (await node.manage('POST', '/providers', provider({ company_id: companyId }))).body
    const invitation = { email: 'guest@example.com', role: 'viewer' }
    const invited = (await node.manage('POST', `/companies/${companyId}/invitations`, invitation)).body
    await joinCompany(node, companyId, 'owner')
    const { members } = (await node.manage('GET', `/companies/${companyId}/members`)).body
    const { otpId } = await started(node, serverKey)
    return {
      company_id: companyId,
      app_id: appId,
      key_id: key.key_id,
      event_id: event.event_id,
      endpoint_id: webhooks[0].endpoint_id,
      provider_id: account.provider_id,
      invitation_id: invited.invitation_id,
      person_id: members[0].person_id,
      otp_id: otpId,
      block_id: newId('block', Date.now()),
      exception_id: newId('exception', Date.now()),
    }
  }

  /** Ids of the same kinds that do not exist. */
  const nobodys = (): Ids =>
    Object.fromEntries(
      Object.entries(theirs).map(([name, id]) => [name, `${id.slice(0, 14)}${'7'.repeat(16)}`]),
    )

  function call(person: Signed, { operation, valid }: Entry, ids: Ids, place: Place): Promise<Answer> {
    const other = nobodys()
    const path = operation.path
      .replace('/manage/v1', '')
      .replaceAll(/\{(\w+)\}/g, (_, parameter: string) => ids[parameter] ?? other[parameter] ?? 'none')
    const own = `company_id=${mine.companyId}`
    const query = {
      nowhere: '',
      query: own,
      body: '',
      'query and body': own,
      'twice in the query': `${own}&${own}`,
      'theirs and mine': `company_id=${ids.company_id}&${own}`,
    }[place]
    // Where the operation itself names a company, it is theirs, wherever the caller's own is named as well.
    const declared = operation.company === 'body' ? { company_id: ids.company_id } : {}
    const claimed = place.includes('body') ? { company_id: mine.companyId } : {}
    const said = operation.company === 'query' && query === '' ? `company_id=${ids.company_id}` : query
    const body = operation.method === 'GET' || !valid ? undefined : { ...valid, ...claimed, ...declared }
    return person.call(operation.method, said ? `${path}?${said}` : path, body)
  }

  const isSaidInQuery = (place: Place) => place.includes('query') || place.includes('theirs')

  /** The rows of everybody else: of the other company, the installation and the operator. */
  async function rowsOfOthers(): Promise<string[]> {
    const rows = await service.database.query<{ row: string }>(rowsOfAny, [
      [theirs.company_id, ownCompany, 'operator'],
    ])
    return rows.map(({ row }) => row)
  }
  const seen = ({ status, body }: Answer) => ({ status, body: { ...body, request_id: null } })

  for (const entry of table) {
    const { name, operation } = entry
    it(`is told the same of others’ things as of things that do not exist, and changes none, by ${name}`, async () => {
      await Promise.all(
        Object.entries(people).flatMap(([who, person]) =>
          places
            // Naming one's own company there is the operation's normal use.
            .filter((place) => operation.company !== 'query' || !place.startsWith('query'))
            .map((place) => tryFrom(place, who, person)),
        ),
      )
      const before = untouched
      // A change made by one operation is not counted against the next.
      untouched = await rowsOfOthers()
      assert.deepEqual(untouched, before)
    })

    async function tryFrom(place: Place, who: string, person: Signed): Promise<void> {
      const ofNobody = await call(person, entry, nobodys(), place)
      const isRefused = [403, 404].includes(ofNobody.status)
      const where = `${who}, ${place}: ${JSON.stringify(ofNobody.body)}`
      // Only where the query names the company may a contradictory query be refused first.
      const isAmbiguous = operation.company === 'query' && isSaidInQuery(place)
      assert.ok(isRefused || (ofNobody.status === 422 && isAmbiguous), where)
      for (const [whose, ids] of Object.entries({ theirs, installations })) {
        const answer = await call(person, entry, ids, place)
        const about = `${who}, of ${whose}, ${place}: ${answer.status} ${JSON.stringify(answer.body)}`
        // A viewer may read their company; everything else is refused by their role.
        const isViewer = who.startsWith('a viewer here') && whose === 'theirs' && isRole(operation.access)
        if (!isViewer) assert.deepEqual(seen(answer), seen(ofNobody), about)
        else if (operation.access !== 'viewer') assert.ok([403, 404, 422].includes(answer.status), about)
      }
    }
  }

  it('makes nothing that is the operator’s', async () => {
    const count = async () =>
      (await service.database.query(`select 1 from providers where company_id = 'operator'`)).length
    const before = await count()
    for (const person of Object.values(people)) {
      for (const query of ['', `?company_id=${mine.companyId}`, `?company_id=`, '?company_id=operator']) {
        for (const more of [{}, { company_id: null }, { company_id: '' }, { company_id: 'operator' }]) {
          const { status } = await person.call('POST', `/providers${query}`, provider(more))
          assert.ok([403, 404, 422].includes(status), `${query} ${JSON.stringify(more)}: ${status}`)
        }
      }
    }
    assert.equal(await count(), before)
  })

  it('has done nothing that stands in somebody else’s trail', async () => {
    const found = await service.database.query(
      `select 1 from audit_entries
        where company_id = $1 and actor = 'person' and outcome is distinct from 'refused'`,
      [theirs.company_id],
    )
    assert.equal(found.length, 0)
  })
})
