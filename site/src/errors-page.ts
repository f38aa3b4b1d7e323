/** The page of errors, made from the contract's table: what each means and what to do. */
import { errorCatalogue, errorWords } from '../../contract/src/index.ts'

interface Row {
  readonly status: number
  readonly type: string
  readonly when: string
  readonly todo: string
}

const names = Object.entries(errorCatalogue)
const rows: readonly Row[] = names.map(([name, { status, type }]) => {
  const words = Object.entries(errorWords).find(([known]) => known === name)?.[1]
  if (!words) throw new Error(`nothing is said of ${name}`)
  return { status, type, ...words }
})

const section = (type: string, rowsOfType: readonly Row[]) =>
  `### ${type}\n\n${rowsOfType
    .map(({ status, when, todo }) => `**${status}.** ${when}\n\n*What to do:* ${todo}`)
    .join('\n\n')}`

function part(title: string, types: readonly string[]): string {
  const sections = types.map((type) =>
    section(
      type,
      rows.filter((row) => row.type === type),
    ),
  )
  return `## ${title}\n\n${sections.join('\n\n')}`
}

const management = new Set([
  'ForbiddenError',
  'FreshSignInNeededError',
  'PasskeyNeededError',
  'NotFoundError',
  'ConflictError',
  'LimitReachedError',
])
const everywhere = new Set(['HTTPException', 'ValidationError', 'UnavailableError', 'InternalError'])
const types = [...new Set(rows.map(({ type }) => type))]

export const errorsPage = `# Errors

Every refusal has a body of the same form, whatever refused it; only [Twilio's clients](twilio.md#errors) get Twilio's. Decide by the status and \`type\`; \`message\` is for people and may change its wording; \`details\` is for programs.

\`\`\`json
{"error":{"type":"ResendCooldownError","message":"A resend is possible in 29 seconds.","details":{"scope":"cooldown","retry_after":29}},"request_id":"req_01m7ehq0yq3j48p2r3xsy426gx"}
\`\`\`

Three rules cover most of them:

- **429 and 503** carry \`Retry-After\` in whole seconds. Wait that long before you repeat the call. A limit then lets it through, unless other calls have used it up.
- **4xx other than 429**: repeating the same call does not help. Change it, or tell the person.
- **\`request_id\`** identifies the call in the log and on the dashboard's *Errors* page.

The API reference lists the errors of each operation; [api.md](api.md#errors) has them in one table.

- [Sending and verifying](#sending-and-verifying)
- [Management](#management)
- [Everywhere](#everywhere)

${part(
  'Sending and verifying',
  types.filter((type) => !management.has(type) && !everywhere.has(type)),
)}

${part('Management', [...management])}

${part('Everywhere', [...everywhere])}
`
