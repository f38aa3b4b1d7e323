import type { TestContext } from 'node:test'
import type { CallbackRequest, ProviderAccount } from '../../src/channels/channel.ts'
import { http } from '../../src/channels/http/index.ts'
import { type HttpPeer, startHttpPeer } from './http-peer.ts'
import { recordingContext } from './support.ts'

export const body = '{"to": "{to}", "from": "{from}", "text": "{text}", "ttl": {ttl_s}}'

export function open(test: TestContext, settings: object): ProviderAccount {
  const account = http.open(http.settings.parse(settings), recordingContext())
  test.after(account.close)
  return account
}

export async function openWithPeer(
  test: TestContext,
  settings: object = {},
  at = (url: string): object => ({ base_url: url, from: 'Shop', body }),
): Promise<{ peer: HttpPeer; account: ProviderAccount }> {
  const peer = await startHttpPeer(test)
  return { peer, account: open(test, { ...at(peer.url), ...settings }) }
}

export const callback = (changes: Partial<CallbackRequest>): CallbackRequest => ({
  method: 'POST',
  url: 'https://otp.example/hooks/prv_1',
  query: {},
  token: null,
  address: '192.0.2.1',
  headers: { 'content-type': 'application/json' },
  body: Buffer.alloc(0),
  nowMs: 1_735_689_600_000,
  ...changes,
})

export const jsonBody = (value: unknown) => ({ body: Buffer.from(JSON.stringify(value)) })
