/** What people call an account by. */
import type { ProviderAnswer } from '@countersign/contract'
import { kindsOfProvider } from '#contract'

/** If the gateway has a preset, its name is shown: Vonage, not just an HTTP gateway. */
export function kindLabel({ kind, settings }: Pick<ProviderAnswer, 'kind' | 'settings'>): string {
  const { label, presets } = kindsOfProvider[kind]
  return (typeof settings.preset === 'string' && presets[settings.preset]?.label) || label
}

export const accountName = (account: ProviderAnswer): string => account.name ?? kindLabel(account)

const senderNames = ['source_addr', 'from', 'messaging_service_sid', 'number', 'sender_username'] as const

/** What people recognise an account by: its sender, or its host. */
export function senderOf({ settings }: ProviderAnswer): string | null {
  const found = [...senderNames, 'host', 'base_url'].map((name) => settings[name]).find((value) => value)
  return typeof found === 'string' ? found : null
}
