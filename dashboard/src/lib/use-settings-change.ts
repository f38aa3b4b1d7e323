/** Changes an app's settings: objects are merged, lists are replaced, and null restores a default. */
import type { AppSettings } from '@countersign/contract'
import type { ManageOperation } from './client.ts'
import { useChange } from './use-change.ts'

type Part<Value> = Value extends readonly unknown[]
  ? Value
  : Value extends object
    ? { readonly [Name in keyof Value]?: Part<Value[Name]> | null | undefined }
    : Value

export type SettingsChange = Part<AppSettings> & { readonly name?: string }

interface SettingsChangeOptions {
  /** What a toast says, if the page does not say itself what was done. */
  readonly says?: string
  readonly problems?: 'form' | 'toast'
  /** Reads whose answers depend on these settings. */
  readonly refreshes?: readonly ManageOperation[]
}

export function useSettingsChange(appId: string, { refreshes = [], ...options }: SettingsChangeOptions) {
  const { mutateAsync } = useChange('updateApp', { ...options, refreshes: ['getApp', ...refreshes] })
  return (body: SettingsChange) => mutateAsync({ params: { app_id: appId }, body })
}
