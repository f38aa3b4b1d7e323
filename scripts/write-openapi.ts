/** The API's description as a file, for readers and for tools that do not run the service. */
import { readFileSync, writeFileSync } from 'node:fs'
import { openApiDocument } from '../contract/src/index.ts'

const file = new URL('../docs/openapi.json', import.meta.url)
const text = `${JSON.stringify(openApiDocument(), null, 1)}\n`

if (!process.argv.includes('--check')) writeFileSync(file, text)
else if (readFileSync(file, 'utf8') !== text) {
  console.error('docs/openapi.json is not what the contract says. Run: npm run generate')
  process.exit(1)
}
