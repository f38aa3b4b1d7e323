/** A call of one of Twilio's clients, and the dependencies of its handlers. */

import type { Principal } from '../../domain/tenancy/index.ts'
import type { ApproveDependencies } from '../../domain/verification/index.ts'
import type { OtpDependencies } from '../v1/otp.ts'
import { refusal, twilioRoot } from './error-body.ts'

export interface TwilioDependencies extends OtpDependencies, ApproveDependencies {
  readonly publicUrl: string
}

export type Fields = Readonly<Record<string, string>>

export interface TwilioCall {
  readonly principal: Principal
  readonly params: Fields
  /** From the query of a GET, from the form of a POST. */
  readonly fields: Fields
}

export const urlOf = ({ publicUrl }: Pick<TwilioDependencies, 'publicUrl'>, path: string): string =>
  `${publicUrl}${twilioRoot}/v2${path}`

/** Parses a query or a form. A parameter that is given twice is refused, since it could mean either. */
export function readFields(text: string): Fields {
  const given = new URLSearchParams(text)
  if (new Set(given.keys()).size < given.size) throw refusal(60200, 'a parameter is given more than once')
  return Object.fromEntries(given)
}

/** A JSON body is parsed as one long parameter name, with a recipient or a code in it, which no error may repeat. */
const parameterName = /^[A-Za-z_][A-Za-z0-9_.]{0,63}$/

/** Refuses unknown parameters, so that nobody believes they had an effect. */
export function assertKnown(fields: Fields, known: readonly string[]): void {
  const unknown = Object.keys(fields).find((name) => !known.includes(name))
  if (unknown !== undefined) throw refusal(20001, parameterName.test(unknown) ? unknown : '')
}
