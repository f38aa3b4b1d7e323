/** `canary`: sends one canary through a chosen account; a running worker hands it over. */

import { type ChannelName, channelNames } from '@countersign/contract'
import { readPrices } from '../domain/billing/index.ts'
import { leftForOthers } from '../domain/delivery/index.ts'
import { loadReputation } from '../domain/guard/index.ts'
import {
  listEnabledProviders,
  type Provider,
  providersAmong,
  simulatorAccountId,
} from '../domain/routing/index.ts'
import { inForce } from '../domain/tenancy/index.ts'
import { type Canary, type CanaryDependencies, runCanary } from '../domain/verification/index.ts'
import { parseId } from '../platform/ids.ts'
import { operatorOwner } from '../platform/tenant.ts'
import { type DatabaseCommand, exits, type Surroundings, UsageError } from './command.ts'
import { appOf } from './tenants.ts'

/** Never sends: a worker hands the message over, with an account that it has opened itself. */
const account: Provider['account'] = {
  send: () => Promise.reject(new Error('nothing is sent from the command line')),
  close: async () => {},
}
const shared = { countries: null, priority: 0, whatsappNumber: null, account }

async function accountsOf({ database, config }: Surroundings): Promise<Provider[]> {
  const stored = (await listEnabledProviders(database)).map(
    ({ providerId, kind, channel, ownerId, countries }): Provider => ({
      ...shared,
      providerId,
      kind,
      channel,
      companyId: ownerId === operatorOwner ? null : ownerId,
      countries,
    }),
  )
  const simulated = (channel: ChannelName): Provider => {
    const providerId = simulatorAccountId(channel)
    return { ...shared, providerId, kind: providerId, channel, companyId: null, isSimulated: true }
  }
  return [...stored, ...(config.simulator ? channelNames.map(simulated) : [])]
}

async function dependenciesOf(
  surroundings: Surroundings,
  accounts: readonly Provider[],
): Promise<CanaryDependencies> {
  const { database } = surroundings
  return {
    ...surroundings,
    prices: () => readPrices(database),
    reputation: await loadReputation(null),
    providers: providersAmong(accounts),
    handOver: leftForOthers,
    countUnguarded: () => {},
    noteRefusal: () => {},
    // There is only one account to choose from, so nothing is learnt.
    routeKnowledge: { of: async () => null },
    routeBook: { saved: () => {} },
    random: Math.random,
    onApproved: () => {},
    metrics: { countSend: () => {}, observeBatch: () => {} },
  }
}

export const canaryCommand: DatabaseCommand = {
  needs: 'database',
  words: [],
  neededOptions: '--app APP_ID --account ID --to RECIPIENT',
  summary: 'send, receipt and verify through one account; says which step failed',
  details: [
    'A real message goes to a recipient of yours through the account, handed over by a running worker. Its receipt is',
    'waited for, and its code entered. It counts and costs as any other of the app. CANARY does this on a timer.',
  ],
  options: {
    app: 'the app that it is sent in, such as app_…',
    account: 'the account, such as prv_…, or simulator-sms in the sandbox',
    to: 'a number or address of yours',
    'skip-receipt': 'for accounts that report nothing after they have taken a message',
  },
  read: (_words, options) => {
    const { account: providerId, to } = options
    if (!options.app || !providerId || !to)
      throw new UsageError('Say --app app_…, --account prv_… and --to a number or address of yours.')
    const appId = parseId('app', options.app)
    if (!appId) throw new UsageError('--app is an id such as app_…')
    return async (surroundings) => {
      const accounts = await accountsOf(surroundings)
      const chosen = accounts.find((each) => each.providerId === providerId)
      if (!chosen) throw new UsageError('There is no enabled account with this id. The dashboard lists them.')
      const canary: Canary = {
        app: inForce(await appOf(surroundings, appId), surroundings.config.routingAccounts),
        account: chosen,
        recipient: to,
        skipsReceipt: options['skip-receipt'] ?? false,
      }
      const report = await runCanary(await dependenciesOf(surroundings, accounts), canary)
      const lines = report.steps.map(
        ({ name, ok, detail, ms }) =>
          `${ok ? 'ok   ' : 'FAULT'}  ${name.padEnd(8)} ${`${ms} ms`.padStart(9)}  ${detail}`,
      )
      const verdict = report.isOk ? 'It came back.' : `It failed at its step ${report.failedStep}.`
      return {
        text: [...lines, '', verdict].join('\n'),
        data: {
          ok: report.isOk,
          failed_step: report.failedStep,
          otp_id: report.otpId,
          account: providerId,
          steps: report.steps,
        },
        exit: report.isOk ? exits.done : exits.no,
      }
    }
  },
}
