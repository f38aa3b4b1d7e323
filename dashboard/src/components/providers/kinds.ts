/** What an account of each kind asks for. The service checks it again; docs/providers.md says the same at length. */
import type { ChannelName, ProviderAnswer } from '@countersign/contract'

export type ProviderKind = ProviderAnswer['kind']

export interface Setting {
  readonly name: string
  readonly label: string
  readonly type?: 'number' | 'long' | 'languages' | 'flag'
  /** Written, never read back. */
  readonly isCredential?: true
  readonly isRequired?: true
  /** Not needed by most: folded away. */
  readonly isRare?: true
  readonly hint?: string
  readonly placeholder?: string
  readonly bounds?: readonly [min: number, max: number]
  /** Of a flag that may be left open: what that means. Others are off. */
  readonly whenOpen?: string
}

export interface KindOfProvider {
  readonly label: string
  readonly channel: ChannelName
  readonly settings: readonly Setting[]
}

const port = (standard: string): Setting => ({
  name: 'port',
  label: 'Port',
  type: 'number',
  placeholder: standard,
  bounds: [1, 65_535],
})
const authority: Setting = {
  name: 'tls_ca',
  label: 'Certificate authority',
  type: 'long',
  isRare: true,
  hint: 'PEM, where no public authority has signed the certificate.',
}
const baseUrl = (standard: string): Setting => ({
  name: 'base_url',
  label: 'Address of the API',
  isRare: true,
  placeholder: standard,
  hint: 'For regional hosts and proxies.',
})

export const kindsOfProvider: Readonly<Record<ProviderKind, KindOfProvider>> = {
  smpp: {
    label: 'SMPP',
    channel: 'sms',
    settings: [
      { name: 'host', label: 'Host', isRequired: true, placeholder: 'smpp.carrier.example' },
      port('2775'),
      { name: 'system_id', label: 'System ID', isRequired: true, hint: 'Up to 15 characters.' },
      { name: 'password', label: 'Password', isCredential: true, isRequired: true },
      {
        name: 'source_addr',
        label: 'Sender',
        isRequired: true,
        placeholder: 'Shop',
        hint: 'A number of 3 to 20 digits, or up to 11 characters.',
      },
      { name: 'tls', label: 'TLS', type: 'flag', hint: 'From the first byte.' },
      { name: 'system_type', label: 'System type', isRare: true, hint: 'Up to 12 characters.' },
      {
        name: 'window',
        label: 'Window',
        type: 'number',
        isRare: true,
        placeholder: '10',
        bounds: [1, 1_000],
        hint: 'Messages that may wait for the carrier’s answer at once.',
      },
      {
        name: 'enquire_link_s',
        label: 'Seconds between signs of life',
        type: 'number',
        isRare: true,
        placeholder: '30',
        bounds: [1, 600],
      },
      {
        name: 'source_ton',
        label: 'Type of number',
        type: 'number',
        isRare: true,
        bounds: [0, 255],
        hint: 'Left empty, it follows from the sender.',
      },
      {
        name: 'source_npi',
        label: 'Numbering plan',
        type: 'number',
        isRare: true,
        bounds: [0, 255],
        hint: 'Left empty, it follows from the sender.',
      },
      authority,
    ],
  },
  twilio: {
    label: 'Twilio',
    channel: 'sms',
    settings: [
      { name: 'account_sid', label: 'Account SID', isRequired: true, placeholder: 'AC…' },
      {
        name: 'auth_token',
        label: 'Auth token',
        isCredential: true,
        isRequired: true,
        hint: 'Also checks the signature of callbacks.',
      },
      {
        name: 'from',
        label: 'Sender',
        placeholder: '+15005550006',
        hint: 'A number, or up to 11 letters, digits and spaces. This or a messaging service.',
      },
      { name: 'messaging_service_sid', label: 'Messaging service SID', placeholder: 'MG…' },
      { name: 'api_key_sid', label: 'API key SID', isRare: true, placeholder: 'SK…' },
      {
        name: 'api_key_secret',
        label: 'API key secret',
        isCredential: true,
        isRare: true,
        hint: 'Goes with the API key SID.',
      },
      baseUrl('https://api.twilio.com'),
    ],
  },
  whatsapp: {
    label: 'WhatsApp Cloud API',
    channel: 'whatsapp',
    settings: [
      {
        name: 'phone_number_id',
        label: 'Phone number ID',
        isRequired: true,
        hint: 'Digits, as Meta shows it.',
      },
      {
        name: 'number',
        label: 'Number',
        isRequired: true,
        placeholder: '+15551234567',
        hint: 'What people write to: links lead there.',
      },
      { name: 'access_token', label: 'Access token', isCredential: true, isRequired: true },
      {
        name: 'app_secret',
        label: 'App secret',
        isCredential: true,
        isRequired: true,
        hint: 'Checks the signature of webhooks.',
      },
      {
        name: 'verify_token',
        label: 'Verify token',
        isCredential: true,
        isRequired: true,
        hint: 'Any text. You repeat it at Meta.',
      },
      {
        name: 'template_name',
        label: 'Template name',
        isRequired: true,
        placeholder: 'verification_code',
        hint: 'Of the category Authentication, with a copy-code button.',
      },
      {
        name: 'template_languages',
        label: 'Languages of the template',
        type: 'languages',
        isRare: true,
        placeholder: 'en en_US\npt-BR pt_BR',
        hint: 'One per line: our locale and Meta’s code. Left empty, the code is made from the locale.',
      },
      baseUrl('https://graph.facebook.com/v21.0'),
    ],
  },
  telegram: {
    label: 'Telegram Gateway',
    channel: 'telegram',
    settings: [
      { name: 'token', label: 'Gateway token', isCredential: true, isRequired: true },
      {
        name: 'sender_username',
        label: 'Sender',
        placeholder: 'shop_codes',
        hint: 'A verified channel to send as, without @.',
      },
      baseUrl('https://gatewayapi.telegram.org'),
    ],
  },
  smtp: {
    label: 'SMTP',
    channel: 'email',
    settings: [
      { name: 'host', label: 'Host', isRequired: true, placeholder: 'smtp.mail.example' },
      port('587'),
      { name: 'user', label: 'User' },
      { name: 'password', label: 'Password', isCredential: true, hint: 'Goes with the user.' },
      {
        name: 'from',
        label: 'Sender',
        isRequired: true,
        placeholder: 'Shop <codes@shop.example>',
        hint: 'An address, or a name and an <address>.',
      },
      {
        name: 'secure',
        label: 'TLS from the first byte',
        type: 'flag',
        whenOpen: 'By the port',
        hint: 'Else STARTTLS where the server offers it.',
      },
      {
        name: 'require_tls',
        label: 'Refuse to go on in clear',
        type: 'flag',
        isRare: true,
        whenOpen: 'With a password',
      },
      {
        name: 'return_path_domain',
        label: 'Return path domain',
        isRare: true,
        placeholder: 'bounces.shop.example',
        hint: 'Where reports on mails come back to. Without it nobody reports.',
      },
      {
        name: 'return_path_secret',
        label: 'Return path secret',
        isCredential: true,
        isRare: true,
        hint: 'At least 16 characters. Goes with the domain.',
      },
      { name: 'dkim_domain', label: 'DKIM domain', isRare: true },
      { name: 'dkim_selector', label: 'DKIM selector', isRare: true },
      {
        name: 'dkim_private_key',
        label: 'DKIM private key',
        type: 'long',
        isCredential: true,
        isRare: true,
        hint: 'PEM. Domain, selector and key go together.',
      },
      authority,
    ],
  },
}

export const providerKinds: readonly ProviderKind[] = ['smpp', 'twilio', 'whatsapp', 'telegram', 'smtp']
