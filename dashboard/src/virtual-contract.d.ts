/** What `vite/contract-module.ts` makes of the contract. */
declare module 'virtual:contract' {
  import type {
    AppSettings,
    ChannelName,
    ListedEventStatus,
    OperationName,
    OtpStatus,
    Role,
  } from '@countersign/contract'

  export const endpoints: Readonly<Record<OperationName, readonly [method: string, path: string]>>
  export const channelNames: readonly ChannelName[]
  export const roles: readonly Role[]
  export const otpStatuses: readonly OtpStatus[]
  export const eventStatuses: readonly ListedEventStatus[]
  export const countryCodes: readonly string[]
  export const defaultSettings: AppSettings
  export const numberBounds: Readonly<
    Record<
      | 'code_length'
      | 'code_ttl_s'
      | 'max_verify_attempts'
      | 'max_sends'
      | 'resend_cooldown_s'
      | 'token_ttl_s',
      { readonly min: number; readonly max: number; readonly default: number }
    >
  >
}
