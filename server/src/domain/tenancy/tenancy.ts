/** Companies own a balance and apps; an app has settings and keys. */
import type { AccountChoice, AppSettings, KeyKind, OwnRule } from '@countersign/contract'
import type { AppId, CompanyId, KeyId, PersonId } from '../../platform/ids.ts'

export interface Company {
  readonly companyId: CompanyId
  readonly name: string
  readonly metered: boolean
  readonly balanceMicros: bigint
  readonly createdAt: Date
  readonly closedAt: Date | null
}

/** An app is always named with its company, by which its rows are found. */
export interface AppRef {
  readonly companyId: CompanyId
  readonly appId: AppId
}

export interface App extends AppRef {
  readonly name: string
  readonly settings: AppSettings
  /** The app's own rules, in the order in which they are asked. */
  readonly rules: readonly OwnRule[]
  readonly createdAt: Date
  /** Null unless the app is paused: then nothing new is sent. */
  readonly pausedAt: Date | null
}

export interface AppInForce extends App {
  readonly settings: AppSettings & { readonly routing: { readonly accounts: AccountChoice } }
}

/** Fills in the installation's setting if the app has none. */
export function inForce(app: App, routingAccounts: AccountChoice): AppInForce {
  const { routing } = app.settings
  return {
    ...app,
    settings: { ...app.settings, routing: { ...routing, accounts: routing.accounts ?? routingAccounts } },
  }
}

export interface RuleRevision {
  readonly revision: number
  readonly rules: readonly OwnRule[]
  /** Null if the change was made with the operator's token. */
  readonly personId: PersonId | null
  readonly restoredFrom: number | null
  readonly createdAt: Date
}

export interface ShownKey {
  readonly first: string
  readonly last: string
}

export interface Key {
  readonly keyId: KeyId
  readonly kind: KeyKind
  readonly name: string | null
  readonly createdAt: Date
  /** What people may see of the key. */
  readonly shown: ShownKey
  /** Written about once a minute. */
  readonly lastUsedAt: Date | null
  /** Calls of the last day, and how many of them were refused; written about once a minute too. */
  readonly calls: number
  readonly errors: number
  readonly revokedAt: Date | null
}

/** Who calls: a live key, and the app it belongs to. */
export interface Principal {
  readonly keyId: KeyId
  readonly kind: KeyKind
  readonly app: AppInForce
}
