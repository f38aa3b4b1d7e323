/** Text messages through any gateway with an HTTP API: described by settings instead of code. */
import { randomBytes } from 'node:crypto'
import { type HttpClient, type HttpRequest, openHttpClient } from '../../platform/http-client.ts'
import { hostOf } from '../base-url.ts'
import type { OutgoingMessage, ProviderAccount, ProviderKind, SendOutcome } from '../channel.ts'
import { checkReachable } from '../http-check.ts'
import { failureOutcome } from '../http-outcome.ts'
import { providerError } from '../provider-error.ts'
import { compileAnswer, readAnswer } from './answer.ts'
import { callbackTokenOf } from './authenticate.ts'
import { compileReceipts, parseCallback } from './callback.ts'
import { MASK } from './credential.ts'
import { compileRequest, renderRequest } from './request.ts'
import { type Gateway, gatewayOf, type HttpSettings, httpSettings } from './settings.ts'
import { type Sign, signerOf } from './sign.ts'
import { valuesOf } from './values.ts'

const SECRET_BYTES = 24
const unfit: SendOutcome = {
  kind: 'refused',
  error: providerError('unfit_value', 'A value does not fit its place in the address.'),
}

export const http: ProviderKind<HttpSettings> = {
  kind: 'http',
  settings: httpSettings,
  hostOf: (settings) => hostOf(gatewayOf(settings).base_url ?? ''),
  complete,
  callbackToken: (settings) => callbackTokenOf(gatewayOf(settings)),
  callsBack: (settings) => gatewayOf(settings).receipts !== 'none',
  dryRun,
  open: (settings, context) => openAccount(gatewayOf(settings), openHttpClient(context.lookup)),
}

function openAccount(gateway: Gateway, client: HttpClient): ProviderAccount {
  const template = compileRequest(gateway)
  const answer = compileAnswer(gateway)
  const receipts = compileReceipts(gateway)
  const token = callbackTokenOf(gateway)
  const sign: Sign = gateway.auth === 'aws' ? signerOf(gateway) : async (request) => request
  return {
    send: async (message, signal) => {
      const values = valuesOf(gateway, message, callbackAddress(message, token))
      const request = renderRequest(gateway, template, values)
      if (request === null) return unfit
      const result = await client.send(await sign(request, message.nowMs), signal)
      return result.kind === 'response' ? readAnswer(answer, result) : failureOutcome(result)
    },
    check: (signal) => checkReachable(client, gateway.base_url ?? '', signal),
    ...(receipts === null ? {} : { parseCallback: (request) => parseCallback(receipts, request) }),
    expectsCallbackToken: token !== null,
    close: client.close,
  }
}

const callbackAddress = ({ callbackUrl }: OutgoingMessage, token: string | null) =>
  token === null ? callbackUrl : `${callbackUrl}/${token}`

/** Receipts by path need a secret, which is generated if there is none. */
function complete(settings: HttpSettings): HttpSettings {
  if (gatewayOf(settings).receipts !== 'path' || settings.receipt_secret !== undefined) return settings
  return { ...settings, receipt_secret: randomBytes(SECRET_BYTES).toString('base64url') }
}

function dryRun(settings: HttpSettings, message: OutgoingMessage): HttpRequest | null {
  const gateway = gatewayOf(settings)
  const token = callbackTokenOf(gateway) === null ? null : MASK
  const values = valuesOf(gateway, message, callbackAddress(message, token))
  return renderRequest(gateway, compileRequest(gateway), values, true)
}
