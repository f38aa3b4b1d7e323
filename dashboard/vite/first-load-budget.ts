/** Fails the build if a page needs more script before it shows than the budget allows. */
import { gzipSync } from 'node:zlib'
import type { Plugin, Rolldown } from 'vite'

export type Chunk = Pick<
  Rolldown.OutputChunk,
  'type' | 'name' | 'code' | 'imports' | 'isEntry' | 'isDynamicEntry'
>
type Bundle = Readonly<Record<string, Chunk | Rolldown.OutputAsset>>

export function firstLoadBudget(budgetBytes: number): Plugin {
  return {
    name: 'countersign:first-load-budget',
    apply: 'build',
    generateBundle(_options, bundle) {
      const heaviest = heaviestPage(bundle)
      if (heaviest.bytes > budgetBytes) {
        this.error(
          `${heaviest.name} needs ${heaviest.bytes} bytes of gzipped script; the budget is ${budgetBytes}`,
        )
      }
      this.info(`${heaviest.name}: ${heaviest.bytes} bytes of gzipped script at first load`)
    },
  }
}

/** A page is the entry, one chunk that is loaded on demand, and all that the two import. */
export function heaviestPage(bundle: Bundle) {
  const chunks = Object.values(bundle).filter((item): item is Chunk => item.type === 'chunk')
  const entry = chunks.filter((chunk) => chunk.isEntry)
  const pages = [null, ...chunks.filter((chunk) => chunk.isDynamicEntry)]
  return pages
    .map((page) => ({
      name: page?.name ?? 'the entry',
      bytes: sizeOf(withImports(bundle, page ? [...entry, page] : entry)),
    }))
    .reduce((heavy, page) => (page.bytes > heavy.bytes ? page : heavy))
}

function withImports(bundle: Bundle, starts: readonly Chunk[]): Set<Chunk> {
  const reached = new Set(starts)
  for (const chunk of reached) {
    for (const name of chunk.imports) {
      const imported = bundle[name]
      if (imported?.type === 'chunk') reached.add(imported)
    }
  }
  return reached
}

const sizeOf = (chunks: ReadonlySet<Chunk>) =>
  [...chunks].reduce((sum, chunk) => sum + gzipSync(chunk.code).length, 0)
