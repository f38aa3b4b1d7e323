/** In the bundle `#contract` has only computed values, without the code that computes them. */
import type { Plugin } from 'vite'
import * as values from './contract-values.ts'

const name = '#contract'
const id = `\0${name}`

export function contractModule(): Plugin {
  const source = Object.entries(values).map(
    ([key, value]) => `export const ${key} = ${JSON.stringify(value)}`,
  )
  return {
    name: 'countersign:contract',
    enforce: 'pre',
    resolveId: (imported) => (imported === name ? id : undefined),
    load: (loaded) => (loaded === id ? source.join('\n') : undefined),
  }
}
