/** How people write recipients and codes, and how every library of ours reads them: each has a test with this table. */
import { readFile } from 'node:fs/promises'

type Pairs = readonly (readonly [written: string, read: string])[]

export const readWritten = async (): Promise<{ recipients: Pairs; codes: Pairs }> =>
  JSON.parse(await readFile(new URL('written.json', import.meta.url), 'utf8'))
