import type { TestContext } from 'node:test'
import type { SMTPServerOptions } from 'smtp-server'
import type { ProviderAccount } from '../../src/channels/channel.ts'
import { smtp } from '../../src/channels/smtp/index.ts'
import { startSmtpPeer } from './smtp-peer.ts'
import { generousDeadline, outgoing, recordingContext } from './support.ts'

export const RETURN_PATH = { domain: 'mail.example', secret: 'a secret of sixteen or more' }

export function open(test: TestContext, port: number, changes: object = {}): ProviderAccount {
  const settings = smtp.settings.parse({
    host: '127.0.0.1',
    port,
    from: 'ACME <no-reply@acme.example>',
    return_path_domain: RETURN_PATH.domain,
    return_path_secret: RETURN_PATH.secret,
    ...changes,
  })
  const account = smtp.open(settings, recordingContext())
  test.after(account.close)
  return account
}

export const mail = (changes: object = {}) => outgoing({ recipient: 'person@x.example', ...changes })

export async function outcomeOf(test: TestContext, options: SMTPServerOptions) {
  const peer = await startSmtpPeer(test, options)
  return open(test, peer.port).send(mail(), generousDeadline())
}
