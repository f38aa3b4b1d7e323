import { parsePhoneNumberFromString } from 'libphonenumber-js/min'

/** A number with spaces where people of its country put them. They are never sent anywhere. */
export function showRecipient(recipient: string): string {
  return parsePhoneNumberFromString(recipient)?.formatInternational() ?? recipient
}
