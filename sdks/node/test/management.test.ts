/** The typed client of the management API, against the service itself. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useService } from '../../../e2e/harness/service.ts'
import {
  AuthenticationError,
  Countersign,
  CountersignError,
  createManagement,
  type LogEntry,
  ValidationError,
} from '../src/index.ts'

const service = useService()
const connect = (logger?: (entry: LogEntry) => void) => {
  const { url, adminToken } = service().running
  return createManagement(adminToken, { baseUrl: url, logger })
}

test('a company, an app and a key are made and changed by their types, and the key sends', async () => {
  const management = connect()
  const company = await management.createCompany({ body: { name: 'Typed', balance: '10' } })
  const params = { company_id: company.company_id }
  const app = await management.createApp({ params, body: { name: 'Typed', code_length: 8 } })
  assert.equal(app.code_length, 8)
  const changed = await management.updateApp({
    params: { app_id: app.app_id },
    body: { routing: { countries: { GB: ['whatsapp', 'sms'] } }, proof: { enabled: true } },
  })
  assert.deepEqual([changed.routing.countries.GB, changed.proof.enabled], [['whatsapp', 'sms'], true])
  const { key } = await management.createKey({ params: { app_id: app.app_id }, body: { kind: 'server' } })
  const client = new Countersign(key, { baseUrl: service().running.url })
  const { otpId } = await client.otp.send({ recipient: '+447400900100' })
  const { verifications } = await management.listVerifications({
    params: { app_id: app.app_id },
    query: { limit: 5, status: 'pending' },
  })
  assert.deepEqual(
    verifications.map(({ otp_id }) => otp_id),
    [otpId],
  )
  const own = { app_id: app.app_id }
  // @ts-expect-error a name that the settings do not have
  const unknown = management.updateApp({ params: own, body: { color: 'red' } })
  await assert.rejects(unknown, ValidationError)
  // @ts-expect-error what is missing is told before anything is sent
  await assert.rejects(management.getApp({ params: {} }), TypeError)
  // In a URL these two mean the parent path, so the call would be another operation.
  for (const company_id of ['.', '..'])
    await assert.rejects(management.listAudit({ params: { company_id } }), TypeError)
})

test('what takes nothing needs no request, and what is refused is an error with its request id', async () => {
  const entries: LogEntry[] = []
  const management = connect((entry) => entries.push(entry))
  const { companies } = await management.listCompanies()
  assert.ok(companies.length > 0)
  await management.listCompanies({ query: { search: 'nobody at all' } })
  assert.deepEqual(
    entries.map(({ method, path, status }) => [method, path, status]),
    Array(2).fill(['GET', '/companies', 200]),
  )
  const refused = management.getCompany({ params: { company_id: 'cmp_/../x' } })
  await assert.rejects(refused, (error) => error instanceof CountersignError && error.status === 404)
  const stranger = createManagement('nobody', { baseUrl: service().running.url })
  await assert.rejects(stranger.listCompanies(), AuthenticationError)
})

test('a token and an address that are missing are refused before anything is sent', () => {
  for (const token of [undefined, '', 'a b']) {
    assert.throws(() => createManagement(token as string, { baseUrl: 'https://a.example' }), TypeError)
  }
  const options = { baseUrl: undefined } as unknown as { baseUrl: string }
  assert.throws(() => createManagement('token', options), /baseUrl/)
})
