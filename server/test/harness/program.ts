/** Runs our sources as programs: compiled if the test run has compiled them, otherwise through tsx. */
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** The options that Node needs to import a source, and the address to import. */
export function importable(source: URL): { readonly options: readonly string[]; readonly url: URL } {
  const folder = process.env.PLAIN_SOURCES
  if (!folder) return { options: ['--import', 'tsx'], url: source }
  const name = relative(root, fileURLToPath(source)).replace(/\.ts$/, '.js')
  return { options: ['--enable-source-maps'], url: pathToFileURL(join(folder, name)) }
}

/** The arguments with which Node runs a source. */
export function programOf(source: URL): readonly string[] {
  const { options, url } = importable(source)
  return [...options, fileURLToPath(url)]
}

/** The command line: the built one if there is one, because it starts in a third of the time. */
export const commandLine: readonly string[] = process.env.BUILT_CLI
  ? ['--enable-source-maps', process.env.BUILT_CLI]
  : programOf(new URL('../../src/cli.ts', import.meta.url))
