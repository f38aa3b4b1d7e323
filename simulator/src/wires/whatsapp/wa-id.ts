/**
 * WhatsApp's own spelling of a number: Brazil loses the ninth digit, Mexico gains a 1, Argentina a 9. Brazilian numbers
 * that were issued after the ninth digit was introduced keep it: without it they would be landline numbers.
 */
export function toWaId(phone: string): string {
  const digits = phone.replace(/^\+/, '')
  if (/^55\d{2}9[6-9]\d{7}$/.test(digits)) return digits.slice(0, 4) + digits.slice(5)
  if (/^52[2-9]\d{9}$/.test(digits)) return `521${digits.slice(2)}`
  if (/^54[1-8]\d{9}$/.test(digits)) return `549${digits.slice(2)}`
  return digits
}

export function isSameWhatsAppNumber(one: string, other: string): boolean {
  return toWaId(one) === toWaId(other)
}

/** All the ways in which one WhatsApp number may be written, the given one first. */
export function whatsAppSpellings(phone: string): string[] {
  const waId = toWaId(phone)
  const spellings = [phone, `+${waId}`]
  if (/^55\d{2}[6-9]\d{7}$/.test(waId)) spellings.push(`+${waId.slice(0, 4)}9${waId.slice(4)}`)
  if (/^521\d{10}$/.test(waId)) spellings.push(`+52${waId.slice(3)}`)
  if (/^549\d{10}$/.test(waId)) spellings.push(`+54${waId.slice(3)}`)
  return [...new Set(spellings)]
}
