/**
 * The place of a block that closes a carrier, as it is stored and answered: `GB 774 (O2)` for a prefix that is mostly one
 * carrier's, `AZ 50` for another prefix, `GB Cloud9` for a carrier with all its ranges.
 */
export interface CarrierPlace {
  readonly country: string
  /** The first digits of the numbers, without the calling code; empty for a carrier with all its ranges. */
  readonly prefix: string
  /** Empty for a prefix that is not mostly one carrier's. */
  readonly carrier: string
}

export function writeCarrierPlace({ country, prefix, carrier }: CarrierPlace): string {
  const ofPrefix = carrier === '' ? prefix : `${prefix} (${carrier})`
  return `${country} ${prefix === '' ? carrier : ofPrefix}`
}

export function readCarrierPlace(text: string): CarrierPlace {
  const [, prefix = '', carrier = prefix ? '' : text.slice(3)] =
    /^.. (\d{2,3})(?: \((.+)\))?$/.exec(text) ?? []
  return { country: text.slice(0, 2), prefix, carrier }
}
