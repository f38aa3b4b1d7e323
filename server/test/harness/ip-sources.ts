/** IP lists as files that an operator would name. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeMmdb } from './write-mmdb.ts'

export interface IpList {
  readonly class: string
  readonly text: string
}

export interface IpSources {
  readonly file: string
  readonly close: () => Promise<void>
}

/** `countries`: the country of each network, for a country database. */
export async function writeIpSources(
  lists: readonly IpList[],
  countries: Readonly<Record<string, string>> = {},
): Promise<IpSources> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-lists-'))
  const sources: { path: string; class?: string }[] = []
  for (const [index, list] of lists.entries()) {
    const path = join(folder, `${index}-${list.class}.txt`)
    await writeFile(path, list.text)
    sources.push({ path, class: list.class })
  }
  const records = Object.entries(countries).map(([network, code]) => [
    network,
    { country: { iso_code: code } },
  ])
  if (records.length > 0) {
    const path = join(folder, 'countries.mmdb')
    await writeFile(path, writeMmdb(Object.fromEntries(records)))
    sources.push({ path })
  }
  const file = join(folder, 'sources.json')
  await writeFile(file, JSON.stringify(sources))
  return { file, close: () => rm(folder, { recursive: true, force: true }) }
}
