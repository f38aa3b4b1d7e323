/** Which call usually follows, with the values that are passed on to it. */
import type { OperationName } from '../operations.ts'

interface Link {
  readonly to: OperationName
  readonly description: string
  /** Parameters of the next call’s path, and where in this answer their values are; `body` has its fields likewise. */
  readonly parameters?: Readonly<Record<string, string>>
  readonly body?: Readonly<Record<string, string>>
}

const at = (field: string) => `$response.body#/${field}`
const otpId = { otp_id: at('otp_id') }
const appId = { app_id: at('app_id') }
const companyId = { company_id: at('company_id') }
const providerId = { provider_id: at('provider_id') }

const afterSend: readonly Link[] = [
  { to: 'verify', description: 'Check the code that the person types.', body: otpId },
  { to: 'resend', description: 'Send it again, or over another channel.', body: otpId },
  { to: 'status', description: 'Look the verification up.', parameters: otpId },
  { to: 'decision', description: 'Why it was decided this way.', parameters: otpId },
]

const linksAfter: Partial<Record<OperationName, readonly Link[]>> = {
  send: afterSend,
  resend: afterSend,
  verify: [
    {
      to: 'exchange',
      description: 'The backend exchanges the token that a device got.',
      body: { verification_token: at('verification_token') },
    },
    { to: 'status', description: 'Look the verification up.', parameters: otpId },
  ],
  createCompany: [
    { to: 'createApp', description: 'Its first app.', parameters: companyId },
    { to: 'creditCompany', description: 'Add to its balance.', parameters: companyId },
    { to: 'getCompany', description: 'Look it up.', parameters: companyId },
  ],
  createApp: [
    { to: 'createKey', description: 'A key for it.', parameters: appId },
    { to: 'createWebhook', description: 'Where its events go.', parameters: appId },
    { to: 'getApp', description: 'Look it up.', parameters: appId },
    { to: 'updateApp', description: 'Change its settings.', parameters: appId },
  ],
  createKey: [{ to: 'revokeKey', description: 'Revoke it.', parameters: { key_id: at('key_id') } }],
  createProvider: [
    { to: 'checkProvider', description: 'See whether it connects.', parameters: providerId },
    { to: 'testProvider', description: 'Send a message to yourself.', parameters: providerId },
    { to: 'updateProvider', description: 'Change it.', parameters: providerId },
    { to: 'deleteProvider', description: 'Remove it.', parameters: providerId },
  ],
  testWebhook: [
    { to: 'getEvent', description: 'What became of it.', parameters: { event_id: at('event_id') } },
  ],
}

export function linksOf(name: string): Record<string, unknown> | null {
  const links = Object.entries(linksAfter).find(([operation]) => operation === name)?.[1]
  if (!links) return null
  return Object.fromEntries(
    links.map(({ to, description, parameters, body }) => [
      to,
      {
        operationId: to,
        description,
        ...(parameters ? { parameters } : {}),
        ...(body ? { requestBody: body } : {}),
      },
    ]),
  )
}
