/** The first company, app and keys of a new installation, so that the first call can be copied and run. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { openCompany } from '../domain/billing/index.ts'
import {
  findFirstCompany,
  listOperators,
  makeSignInLink,
  recordAudit,
  signInLinkUrl,
} from '../domain/members/index.ts'
import { createApp, createKey } from '../domain/tenancy/index.ts'
import type { Clock } from '../platform/clock.ts'
import { ConfigError } from '../platform/config-error.ts'
import type { Database } from '../platform/database.ts'
import { newId, parseId } from '../platform/ids.ts'
import type { Keyring } from '../platform/keyring.ts'
import { writePrivateFile } from '../platform/private-file.ts'

const firstApp = z.object({
  company_id: z.string(),
  app_id: z.string(),
  server_key: z.string(),
  publishable_key: z.string(),
})
export type FirstApp = z.infer<typeof firstApp>

export const firstAppFile = 'first-app.json'
const openingBalance = '100'

interface FirstDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly keyring: () => Keyring
}

/** Null if the installation was set up before and the file has been deleted. */
export async function findOrCreateFirstApp(
  dependencies: FirstDependencies,
  dataDir: string,
): Promise<FirstApp | null> {
  const file = join(dataDir, firstAppFile)
  const text = await readFile(file, 'utf8').catch(() => null)
  const known = await findFirstCompany(dependencies.database)
  if (text !== null) {
    const app = readFirstApp(file, text)
    if (known || (await listOperators(dependencies)).length > 0) return app
    throw new ConfigError(
      `${file} has the keys of an app that is not in this database, which is new. If that is what you want, remove it, and the next start makes an app; else restore the folder postgres beside it.`,
    )
  }
  if (known?.isSetUp) return null
  // A first start that was interrupted has left a company in which nobody can sign in.
  const companyId = known?.companyId ?? (await openFirstCompany(dependencies)).companyId
  const app = await createApp(dependencies, companyId, { name: 'First app' })
  const made: FirstApp = {
    company_id: companyId,
    app_id: app.appId,
    server_key: (await createKey(dependencies, app, { kind: 'server', name: 'first' })).text,
    publishable_key: (await createKey(dependencies, app, { kind: 'publishable', name: 'first' })).text,
  }
  await writePrivateFile(file, `${JSON.stringify(made, null, 2)}\n`)
  return made
}

/** The error quotes nothing, since what is left of the file may be part of a key. */
function readFirstApp(file: string, text: string): FirstApp {
  try {
    return firstApp.parse(JSON.parse(text))
  } catch {
    throw new ConfigError(
      `What is in ${file} are not the keys of the first app. Restore it from your backup, or remove it and make new keys: countersign create-key`,
    )
  }
}

const openFirstCompany = (dependencies: { readonly database: Database; readonly clock: Clock }) =>
  openCompany(dependencies, { name: 'First company', metered: true, balance: openingBalance })

/** The first person of an installation: an operator, and the owner of the first company. */
const firstPerson = 'operator@example.com'

/** Null if others are operators and this person no longer is: a start must not restore a right that was taken away. */
export async function makeFirstSignInLink(
  dependencies: FirstDependencies,
  url: string,
  { company_id }: FirstApp,
): Promise<string | null> {
  const operators = await listOperators(dependencies)
  const isFirst = operators.length === 0
  if (!isFirst && !operators.some(({ email }) => email === firstPerson)) return null
  const token = isFirst
    ? await makeSignInLink(dependencies, firstPerson, 'new', parseId('company', company_id))
    : await makeSignInLink(dependencies, firstPerson, 'operators')
  await recordAudit(dependencies, {
    companyId: null,
    actor: 'command_line',
    personId: null,
    action: 'sign-in-link',
    appId: null,
    subject: null,
    changes: isFirst ? { new: true } : {},
    address: null,
    requestId: newId('request', dependencies.clock.nowMs()),
  })
  return signInLinkUrl(url, token)
}
