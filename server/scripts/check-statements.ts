/** Checks, after a full test run, that every statement that was run names the company of the rows that it uses. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findUnheld, isForEveryCompany } from '../test/harness/statements.ts'

const folder = process.argv[2] ?? ''
/** With fewer statements than this, the run did not record them. */
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
