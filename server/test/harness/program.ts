/** Sources of ours as programs of their own: plain where the run of the tests has made them so, else read by tsx. */
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** What Node is given to import a source, and where it then finds it. */
export function importable(source: URL): { readonly options: readonly string[]; readonly url: URL } {
  const folder = process.env.PLAIN_SOURCES
  if (!folder) return { options: ['--import', 'tsx'], url: source }
  const name = relative(root, fileURLToPath(source)).replace(/\.ts$/, '.js')
  return { options: ['--enable-source-maps'], url: pathToFileURL(join(folder, name)) }
}

/** What Node is given to run a source. */
export function programOf(source: URL): readonly string[] {
  const { options, url } = importable(source)
  return [...options, fileURLToPath(url)]
}

/** The command line: as it was built where the run of the tests has done so, which starts in a third of the time. */
export const commandLine: readonly string[] = process.env.BUILT_CLI
  ? ['--enable-source-maps', process.env.BUILT_CLI]
  : programOf(new URL('../../src/cli.ts', import.meta.url))
