/** What docs/architecture.md says about folders, modules and the direction of imports, held against the sources. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'

const root = new URL('../../', import.meta.url)
const textOf = (path: string) => readFileSync(new URL(path, root), 'utf8')
const [page = ''] = textOf('docs/architecture.md').split('\n## One send')

/** What the first column of the table with this head names. */
const namesBelow = (head: string) =>
  (page.split(`\n${head}\n`)[1]?.split('\n\n')[0] ?? '')
    .split('\n')
    .flatMap((row) => [...(row.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))

/** Folders end with a slash. What is hidden, installed or built does not count. */
const entriesOf = (folder: string) =>
  readdirSync(new URL(folder, root), { withFileTypes: true })
    .filter(({ name }) => !/^\.|^(node_modules|dist|test-results)$|\.test\.ts$/.test(name))
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
const foldersOf = (folder: string) => entriesOf(folder).filter((name) => name.endsWith('/'))

describe('docs/architecture.md', () => {
  it('has every folder, and everything of server/src, each once', () => {
    const said = namesBelow('| folder | what is in it |').map((name) => name.replace(/^server\/src\//, ''))
    const own = [
      ...foldersOf('.').filter((name) => name !== 'server/'),
      ...foldersOf('server/').flatMap((name) => (name === 'src/' ? [] : `server/${name}`)),
      ...entriesOf('server/src/'),
    ]
    assert.deepEqual(said.toSorted(), own.toSorted())
  })

  it('has every module of the domain, and the arrows that are checked', () => {
    const script = textOf('scripts/check-arrows.mjs')
    const checked = ['layers', 'domain'].map((list) =>
      [...(script.split(`const ${list} = [`)[1]?.split(']')[0] ?? '').matchAll(/'(\w+)'/g)].map(
        ([, name = '']) => name,
      ),
    )
    const drawn = [...page.matchAll(/^flowchart LR\n {2}(.*)$/gm)].map(([, arrows = '']) =>
      arrows.split(' --> '),
    )
    assert.deepEqual(drawn, checked)
    const modules = foldersOf('server/src/domain/').map((name) => name.slice(0, -1))
    assert.deepEqual(checked[1]?.toSorted(), modules.toSorted())
    assert.deepEqual(namesBelow('| module | |').toSorted(), modules.toSorted())
  })
})
