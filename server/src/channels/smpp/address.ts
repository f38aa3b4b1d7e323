import type { SmppSettings } from './settings.ts'

export interface SmppAddress {
  readonly ton: number
  readonly npi: number
  readonly address: string
}

const MAX_SHORT_CODE_DIGITS = 8

/** SMPP 3.4 §5.2.5: TON 5 alphanumeric, 3 network specific (short codes), 1 international. */
export function sourceAddress(
  settings: Pick<SmppSettings, 'source_addr' | 'source_ton' | 'source_npi'>,
): SmppAddress {
  const derived = deriveAddress(settings.source_addr)
  return { ...derived, ton: settings.source_ton ?? derived.ton, npi: settings.source_npi ?? derived.npi }
}

export function destinationAddress(recipient: string): SmppAddress {
  return { ton: 1, npi: 1, address: recipient.replace(/^\+/, '') }
}

function deriveAddress(source: string): SmppAddress {
  if (!/^\+?\d+$/.test(source)) return { ton: 5, npi: 0, address: source }
  if (!source.startsWith('+') && source.length <= MAX_SHORT_CODE_DIGITS)
    return { ton: 3, npi: 0, address: source }
  return { ton: 1, npi: 1, address: source.replace(/^\+/, '') }
}
