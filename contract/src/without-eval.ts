/** Must be imported before the schemas: each reads this configuration when it is made. */
import { z } from 'zod'

// The content policy of the pages forbids `eval`, and browsers report even the attempt.
z.config({ jitless: true })
