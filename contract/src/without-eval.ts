/** Comes before the schemas: each of them looks at this while it is made. */
import { z } from 'zod'

// The content policy of the pages forbids `eval`, and browsers report even the attempt.
z.config({ jitless: true })
