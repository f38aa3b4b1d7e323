/** Builds `dist/esm` and `dist/cjs` of the libraries: JavaScript by esbuild, declarations by the compiler. */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { root } from './prepare.mjs'

const compiler = fileURLToPath(new URL('bin/tsc', import.meta.resolve('typescript/package.json')))
const relativeImport = /(from\s+|import\()(['"])(\.\/[^'"]+)\.tsx?\2/g

/** As the README of the web library says. */
const browsers = ['chrome85', 'firefox90', 'safari15']

await buildPackage({ folder: join(root, 'sdks/node'), target: 'node20' })
await buildPackage({ folder: join(root, 'sdks/web'), target: browsers })
// After the web library, whose types it uses. `use client` tells server-rendering frameworks that it runs in browsers.
await buildPackage({ folder: join(root, 'sdks/react'), target: browsers, banner: `'use client';` })

async function buildPackage({ folder, target, banner = '' }) {
  const work = join(folder, '.cache', `build-${process.pid}`)
  const [esm, cjs] = [join(work, 'dist/esm'), join(work, 'dist/cjs')]
  declare(folder, esm)
  cpSync(esm, cjs, { recursive: true })
  // Without it the package's own "type" would make these files ES modules.
  writeFileSync(join(cjs, 'package.json'), '{ "type": "commonjs" }\n')
  for (const format of ['esm', 'cjs']) {
    await build({
      absWorkingDir: folder,
      entryPoints: ['src/index.ts'],
      outdir: join(work, 'dist', format),
      bundle: true,
      format,
      // Neither Node's nor browsers' modules are resolved when bundling.
      platform: 'neutral',
      target,
      // Chrome 85 has both: esbuild minds a fault with spread arguments, and scripts that Unicode has added since.
      supported: { 'optional-chain': true, 'regexp-unicode-property-escapes': true },
      jsx: 'automatic',
      banner: { js: banner },
      // Imported and not bundled, so that nobody loads the same code twice.
      packages: 'external',
      logLevel: 'warning',
    })
  }
  // Replaced by a rename, so that nobody reads an incomplete folder.
  const dist = join(folder, 'dist')
  if (existsSync(dist)) renameSync(dist, join(work, 'old'))
  renameSync(join(work, 'dist'), dist)
  rmSync(work, { recursive: true, force: true })
}

function declare(folder, outDir) {
  const done = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--outDir', outDir], {
    cwd: folder,
    stdio: 'inherit',
  })
  if (done.status !== 0) process.exit(1)
  const wanted = new Set(['index.d.ts'])
  for (const file of wanted) {
    const text = readFileSync(join(outDir, file), 'utf8')
    for (const [, , , name] of text.matchAll(relativeImport)) wanted.add(`${name.slice(2)}.d.ts`)
    // The compiler leaves `.ts` in declarations, which only this repository understands.
    writeFileSync(join(outDir, file), text.replace(relativeImport, '$1$2$3.js$2'))
  }
  for (const file of readdirSync(outDir)) if (!wanted.has(file)) rmSync(join(outDir, file))
}
