/** The search, loaded apart from the pages, since most people only read. */
import MiniSearch from 'minisearch'
import { type Found, searchOptions } from '../search-options.ts'

export type Finder = (words: string) => readonly Found[]

export async function load(address: string): Promise<Finder> {
  const answer = await fetch(address)
  if (!answer.ok) throw new Error(`the index is answered with ${answer.status}`)
  const index = MiniSearch.loadJSON(await answer.text(), searchOptions)
  return (words) =>
    index.search(words).map(({ address, title, heading, excerpt }) => ({
      address: String(address),
      title: String(title),
      heading: String(heading),
      excerpt: String(excerpt),
    }))
}
