/** Where providers call back. Their bodies are each provider's own. */
import { pathParameter } from './parameters.ts'
import { errorAnswer } from './responses.ts'

const callbackAt = (path: string, names: readonly string[], after: string) => ({
  [path]: Object.fromEntries(
    (['get', 'post'] as const).map((method) => [
      method,
      {
        operationId: `${method}Callback${after}`,
        summary: 'Where providers report on messages',
        description:
          'Told to them under `PUBLIC_URL`. What they send is in the form of each, and is taken only with their own signature or secret.',
        tags: ['Callbacks'],
        security: [],
        parameters: names.map(pathParameter),
        responses: {
          200: { description: 'Taken' },
          401: errorAnswer(401, ['Unauthorized']),
          // A handshake with a wrong token.
          ...(method === 'get' && { 403: errorAnswer(403, ['ForbiddenError']) }),
        },
      },
    ]),
  ),
})

export const callbacks = {
  ...callbackAt('/hooks/{provider_id}', ['provider_id'], ''),
  ...callbackAt('/hooks/{provider_id}/{token}', ['provider_id', 'token'], 'WithToken'),
}
