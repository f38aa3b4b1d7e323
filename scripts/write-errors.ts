/** The page of errors as a document, for the site and for readers of the repository. */
import { readFileSync, writeFileSync } from 'node:fs'
import { errorsPage } from '../site/src/errors-page.ts'

const file = new URL('../docs/errors.md', import.meta.url)
if (!process.argv.includes('--check')) writeFileSync(file, errorsPage)
else if (readFileSync(file, 'utf8') !== errorsPage) {
  console.error('docs/errors.md is not what the contract says. Run: npm run generate')
  process.exit(1)
}
