import { fileURLToPath } from 'node:url'
import { buildPackage } from '../build-package.mjs'

await buildPackage({ folder: fileURLToPath(new URL('.', import.meta.url)), entries: ['index'] })
