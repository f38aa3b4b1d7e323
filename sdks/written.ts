/** How people write recipients and codes, and how our libraries read them. Each library has a test with this table. */
import { readFile } from 'node:fs/promises'

type Pairs = readonly (readonly [written: string, read: string])[]

export const readWritten = async (): Promise<{ recipients: Pairs; codes: Pairs }> =>
  JSON.parse(await readFile(new URL('written.json', import.meta.url), 'utf8'))
