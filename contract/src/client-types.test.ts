/** Types that a generator makes from the published document, used as a customer's program would. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'
import openapiTS, { astToString } from 'openapi-typescript'

const document = new URL('../../docs/openapi.json', import.meta.url)
const compiler = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url))

const program = `
import type { components, paths } from './api.ts'

type Json<Call> = Call extends { content: { 'application/json': infer Body } } ? Body : never
type NewProvider = Json<paths['/manage/v1/providers']['post']['requestBody']>
type ProviderChange = Json<paths['/manage/v1/providers/{provider_id}']['patch']['requestBody']>
type Provider = Json<paths['/manage/v1/providers']['post']['responses']['201']>

const settings: components['schemas']['SmppSettings'] = {
  host: 'smpp.carrier.example', system_id: 'shop', password: 'secret12', source_addr: 'Shop',
}
export const smpp: NewProvider = { channel: 'sms', kind: 'smpp', settings, countries: ['GB'], priority: 10 }
export const whatsapp: NewProvider = {
  channel: 'whatsapp',
  kind: 'whatsapp',
  settings: {
    phone_number_id: '1', number: '+15551234567', access_token: 'a', app_secret: 'b', verify_token: 'c',
    template_name: 'code', template_languages: { en: 'en_US' },
  },
}
export const gateway: NewProvider = {
  channel: 'sms',
  kind: 'http',
  settings: { preset: 'vonage', user: 'a', secret: 'b', codes: { 0: 'accepted', '*': 'refused' } },
}
// @ts-expect-error: no such outcome
export const outcome: NewProvider = { channel: 'sms', kind: 'http', settings: { codes: { 0: 'perhaps' } } }

// @ts-expect-error: the channel is that of the kind
export const otherChannel: NewProvider = { channel: 'email', kind: 'smpp', settings }
// @ts-expect-error: the settings are those of the kind
export const otherSettings: NewProvider = { channel: 'telegram', kind: 'telegram', settings }
// @ts-expect-error: a token is needed
export const missing: NewProvider = { channel: 'telegram', kind: 'telegram', settings: {} }

export const change: ProviderChange = { settings: { host: 'other.example', password: 'again', tls_ca: null } }
// @ts-expect-error: a host cannot be taken away
export const taken: ProviderChange = { settings: { host: null } }

export function placeOf(provider: Provider): string {
  switch (provider.kind) {
    case 'smpp':
    case 'smtp':
      return \`\${provider.settings.host}:\${provider.settings.port}\`
    case 'http':
      return provider.settings.base_url ?? \`that of \${provider.settings.preset}\`
    default:
      return provider.settings.base_url
  }
}
export const secretOf = (provider: Extract<Provider, { kind: 'telegram' }>) =>
  // @ts-expect-error: credentials are never read back
  provider.settings.token
`

it('a client made from the document knows the settings of every kind of provider', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-client-'))
  try {
    await writeFile(
      join(folder, 'api.ts'),
      astToString(await openapiTS(document, { defaultNonNullable: false })),
    )
    await writeFile(join(folder, 'program.ts'), program)
    const options = ['--noEmit', '--strict', '--target', 'es2023', '--module', 'nodenext', '--types', '']
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [compiler, ...options, '--singleThreaded', '--allowImportingTsExtensions', join(folder, 'program.ts')],
      { cwd: folder, encoding: 'utf8' },
    )
    assert.equal(status, 0, `${stdout}${stderr}`)
  } finally {
    await rm(folder, { recursive: true })
  }
})
