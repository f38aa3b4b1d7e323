/** Bundles the server and the simulator, each into one file beside its data, and the dashboard and the documents into files to serve. */
import { spawnSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { build as buildPages } from 'vite'
import { root } from './prepare.mjs'

const programs = [
  { entry: 'server/src/cli.ts', out: 'server/dist/cli.js' },
  { entry: 'simulator/src/main.ts', out: 'simulator/dist/main.js' },
]

for (const { entry, out } of programs) {
  rmSync(join(root, out, '..'), { recursive: true, force: true })
  await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: out,
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
const { status } = spawnSync(process.execPath, ['--import', 'tsx', 'site/src/build.ts'], {
  cwd: root,
  stdio: 'inherit',
})
if (status !== 0) process.exit(1)
