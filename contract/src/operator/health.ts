/** What a node says of itself to whoever supervises it or sends calls to it. */
import { z } from 'zod'

export const healthAnswer = z.object({ status: z.literal('alive') })

export const readinessAnswer = z.object({
  status: z.enum(['ready', 'not ready']),
  problems: z.array(z.string()).exactOptional().meta({
    description:
      'What is wrong, absent if nothing is; /docs/operations says what each word means. A node may serve although something is.',
  }),
  database_hosts: z
    .array(z.enum(['primary', 'standby', 'behind', 'unreachable', 'unknown']))
    .exactOptional()
    .meta({ description: 'In the order of `DATABASE_URL`, if it names several hosts.' }),
})
