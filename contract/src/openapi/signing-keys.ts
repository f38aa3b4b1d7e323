/** Where the keys of proofs are published: a standard path, outside of the API's own. */
import { signingKeysAnswer } from '../verification/otp.ts'
import { errorAnswer } from './responses.ts'
import type { Schemas } from './schemas.ts'
import { tagOf } from './tags.ts'
import type { JsonObject } from './tidy.ts'

const path = '/.well-known/jwks.json'

export const signingKeys = (schemas: Schemas): Record<string, JsonObject> => ({
  [path]: {
    get: {
      operationId: 'getSigningKeys',
      summary: 'The keys that proofs are checked by',
      description:
        'A JSON Web Key Set, as libraries for JWT read it. May be kept for an hour: a key stands here a day before it signs, and a day after its last proof. Anybody may call it, from pages of any origin too.',
      tags: [tagOf(path)],
      security: [],
      responses: {
        200: {
          description: 'The keys',
          content: {
            'application/json': {
              schema: schemas.namedSchemaOf(signingKeysAnswer, 'output', 'getSigningKeys'),
              example: {
                keys: [
                  {
                    kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
                    kty: 'OKP',
                    crv: 'Ed25519',
                    alg: 'EdDSA',
                    use: 'sig',
                    x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
                  },
                ],
              },
            },
          },
        },
        405: errorAnswer(405, ['MethodNotAllowed']),
      },
    },
  },
})
