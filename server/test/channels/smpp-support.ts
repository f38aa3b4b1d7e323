import type { TestContext } from 'node:test'
import type { ProviderAccount } from '../../src/channels/channel.ts'
import { smpp } from '../../src/channels/smpp/index.ts'
import { type SmppPeer, startSmppPeer } from './smpp-peer.ts'
import { type RecordingContext, recordingContext } from './support.ts'

export function open(
  test: TestContext,
  port: number,
  changes: object = {},
): { account: ProviderAccount; context: RecordingContext } {
  const context = recordingContext()
  const settings = smpp.settings.parse({
    host: '127.0.0.1',
    port,
    system_id: 'user',
    password: 'pass',
    source_addr: 'ACME',
    ...changes,
  })
  const account = smpp.open(settings, context)
  test.after(account.close)
  return { account, context }
}

export async function openWithPeer(test: TestContext, changes: object = {}) {
  const peer = await startSmppPeer(test)
  return { peer, ...open(test, peer.port, changes) }
}

export const answerWith =
  (fields: object): SmppPeer['onSubmit'] =>
  (pdu, session) =>
    session.send(pdu.response(fields))
