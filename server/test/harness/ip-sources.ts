/** Lists of addresses with a reputation, as the files that an operator would name. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface IpList {
  readonly class: string
  readonly text: string
}

export interface IpSources {
  readonly file: string
  readonly close: () => Promise<void>
}

export async function writeIpSources(lists: readonly IpList[]): Promise<IpSources> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-lists-'))
  const sources = lists.map((list, index) => ({
    path: join(folder, `${index}-${list.class}.txt`),
    class: list.class,
    text: list.text,
  }))
  for (const { path, text } of sources) await writeFile(path, text)
  const file = join(folder, 'sources.json')
  await writeFile(file, JSON.stringify(sources.map((source) => ({ path: source.path, class: source.class }))))
  return { file, close: () => rm(folder, { recursive: true, force: true }) }
}
