/** Bundles the server and the simulator, each into one file beside its data, and the dashboard into files to serve. */
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { build as buildPages } from 'vite'
import { root } from './prepare.mjs'

const programs = [
  // It is a program of the package: started by its name, it says what runs it.
  { entry: 'server/src/cli.ts', out: 'server/dist/cli.js', banner: { js: '#!/usr/bin/env node' } },
  { entry: 'simulator/src/main.ts', out: 'simulator/dist/main.js' },
]

for (const { entry, out, banner = {} } of programs) {
  rmSync(join(root, out, '..'), { recursive: true, force: true })
  await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: out,
    banner,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    sourcemap: true,
    packages: 'external',
    alias: { '@countersign/contract': './contract/src/index.ts' },
    logLevel: 'warning',
  })
}
cpSync(join(root, 'simulator/src/page'), join(root, 'simulator/dist/page'), { recursive: true })
await buildPages({ root: join(root, 'dashboard'), logLevel: 'warn' })
