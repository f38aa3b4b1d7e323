/** Commands for companies, their apps and keys, and for erasing a recipient. */
import { createCompanyBody, parseFields } from '@countersign/contract'
import { openCompany } from '../domain/billing/index.ts'
import { readRecipient } from '../domain/guard/index.ts'
import { type App, createApp, createKey, findAppById } from '../domain/tenancy/index.ts'
import { eraseRecipient } from '../domain/verification/index.ts'
import { type AppId, parseId } from '../platform/ids.ts'
import { type Commands, type Surroundings, UsageError } from './command.ts'

export async function appOf({ database }: Pick<Surroundings, 'database'>, appId: AppId): Promise<App> {
  const app = await findAppById(database, appId)
  if (!app) throw new Error('There is no such app.')
  return app
}

export const tenantCommands: Commands = {
  'create-company': {
    needs: 'database',
    words: ['NAME'],
    summary: 'a company; prints its id',
    options: { balance: 'what it can spend, such as 100 or 12.50; 0 if it is not said' },
    read: ([said], { balance = '0' }) => {
      if (!said) throw new UsageError('Say the name of the company.')
      const { data: name, problems } = parseFields(createCompanyBody.shape.name, said)
      if (problems) throw new UsageError(`The name of the company ${problems[0]?.message}.`)
      if (!/^\d{1,12}(\.\d{1,6})?$/.test(balance))
        throw new UsageError(
          '--balance is a number from 0, such as 100 or 12.50, with a point and without spaces.',
        )
      return async (surroundings) => {
        const { companyId } = await openCompany(surroundings, { name, metered: true, balance })
        return { text: companyId, data: { company_id: companyId }, companyId }
      }
    },
  },
  'create-app': {
    needs: 'database',
    words: ['COMPANY_ID', 'NAME'],
    summary: 'an app; prints its id',
    read: ([companyText, name]) => {
      const companyId = parseId('company', companyText ?? '')
      if (!companyId || !name) throw new UsageError('Say the company (cmp_…) and the name of the app.')
      return async (surroundings) => {
        const { appId } = await createApp(surroundings, companyId, { name })
        return { text: appId, data: { company_id: companyId, app_id: appId } }
      }
    },
  },
  'create-key': {
    needs: 'database',
    words: ['APP_ID', 'server|publishable'],
    summary: 'a key; prints it, once',
    read: ([appText, kind]) => {
      const appId = parseId('app', appText ?? '')
      if (!appId || (kind !== 'server' && kind !== 'publishable')) {
        throw new UsageError('Say the app (app_…) and the kind of key: server or publishable.')
      }
      return async (surroundings) => {
        const app = await appOf(surroundings, appId)
        const { keyId, text } = await createKey(surroundings, app, { kind, name: null })
        return { text, data: { app_id: appId, key_id: keyId, kind, key: text } }
      }
    },
  },
  erase: {
    needs: 'database',
    words: ['COMPANY_ID', 'RECIPIENT'],
    summary: 'forget a person in all apps of a company',
    details: [
      'A message that is still on its way to them is stopped. It cannot be undone. The recipient is taken as people',
      'write it; a national number needs --country.',
    ],
    options: { country: 'the country of a number without its calling code, such as GB' },
    read: ([companyText, recipient], { country }) => {
      const companyId = parseId('company', companyText ?? '')
      if (!companyId || !recipient) throw new UsageError('Say the company (cmp_…) and the recipient.')
      if (country !== undefined && !/^[a-z]{2}$/i.test(country))
        throw new UsageError('--country is two letters, such as GB or DE.')
      if (!readRecipient(recipient, country?.toUpperCase() ?? null))
        throw new UsageError(
          'The recipient is neither an email address nor a phone number. Write a number with its calling code (+447400123456), or say its country: --country GB',
        )
      return async (surroundings) => {
        const erased = await eraseRecipient(surroundings, companyId, {
          recipient,
          country: country?.toUpperCase() ?? null,
        })
        return {
          text: `Erased from ${erased} ${erased === 1 ? 'verification' : 'verifications'}.`,
          data: { company_id: companyId, erased },
        }
      }
    },
  },
}
