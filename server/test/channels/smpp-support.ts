import type { TestContext } from 'node:test'
import type { ProviderAccount } from '../../src/channels/channel.ts'
import { smpp } from '../../src/channels/smpp/index.ts'
import { type SmppPeer, startSmppPeer } from './smpp-peer.ts'
import { eventually, type RecordingContext, recordingContext } from './support.ts'

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

/** Bound to its carrier, however long that takes: a message does not wait long for a connection. */
export async function openWithPeer(test: TestContext, changes: object = {}) {
  const peer = await startSmppPeer(test)
  const opened = open(test, peer.port, changes)
  await eventually(() => opened.account.connection?.().kind === 'up')
  return { peer, ...opened }
}

export const answerWith =
  (fields: object): SmppPeer['onSubmit'] =>
  (pdu, session) =>
    session.send(pdu.response(fields))
