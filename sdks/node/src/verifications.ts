/** Exchanges the tokens of devices. */
import { isProvenRecipient } from './answers.ts'
import { CountersignError, TokenNotFoundError } from './errors.ts'
import type { CallOptions, Transport } from './transport.ts'
import type { ProvenRecipient } from './types.ts'

export interface Verifications {
  /**
   * Exchanges a device's token for the recipient that it proves. This is the only proof: a device can be made to say
   * anything. The same key may repeat the call.
   */
  exchange(verificationToken: string, options?: CallOptions): Promise<ProvenRecipient>
}

export function createVerifications(call: Transport): Verifications {
  return {
    exchange: async (verificationToken, options = {}) => {
      try {
        return await call<ProvenRecipient>({
          method: 'POST',
          path: '/verifications/exchange',
          body: { verification_token: verificationToken },
          isRepeatable: true,
          isAnswer: isProvenRecipient,
          options,
        })
      } catch (error) {
        throw isNotFound(error) ? new TokenNotFoundError(error) : error
      }
    },
  }
}

/** The API has no error type for a bad token. */
const isNotFound = (error: unknown): error is CountersignError =>
  error instanceof CountersignError && error.status === 404 && error.type === 'HTTPException'
