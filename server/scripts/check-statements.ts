/** After a whole run of the tests: holds every statement that was run to the rule that a company's rows are named by it. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findUnheld, isForEveryCompany } from '../test/harness/statements.ts'

const folder = process.argv[2] ?? ''
/** A run that saw fewer did not look. */
const fewest = 100

const texts = new Set(
  readdirSync(folder).flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as string[]),
)
const ofOne = [...texts].filter((text) => !isForEveryCompany(text))
let faults = 0
for (const text of ofOne) {
  const unheld = await findUnheld(text)
  if (unheld.length === 0) continue
  faults++
  console.error(`not held to one company: ${unheld.join(', ')} in\n${text}\n`)
}
console.log(`· ${texts.size} statements, ${texts.size - ofOne.length} of them over every company`)
if (texts.size < fewest) console.error(`too few statements were seen: ${texts.size}`)
process.exit(faults === 0 && texts.size >= fewest ? 0 : 1)
