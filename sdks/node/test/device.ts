/** What a device does with a publishable key, up to a token for the backend. */
import type { TestApp } from '../../../e2e/harness/app.ts'
import type { ServiceUnderTest } from '../../../e2e/harness/service.ts'
import { codeIn } from '../../../e2e/harness/simulator.ts'

export async function verifyOnDevice(
  { caller, simulator }: ServiceUnderTest,
  app: TestApp,
  recipient: string,
): Promise<string> {
  const key = await app.createKey('publishable')
  const earlier = await simulator.messages(recipient, 'sms')
  const sent = await caller.call<{ otp_id: string }>('POST', '/api/v1/otp/send', { key, body: { recipient } })
  const code = codeIn((await simulator.arrived(recipient, 'sms', earlier.length + 1)).text)
  const body = { otp_id: sent.body.otp_id, code }
  const verified = await caller.call<{ verification_token: string }>('POST', '/api/v1/otp/verify', {
    key,
    body,
  })
  return verified.body.verification_token
}
