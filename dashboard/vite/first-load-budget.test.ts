import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { type Chunk, heaviestPage } from './first-load-budget.ts'

/** Random text, which gzip does not make smaller. */
const chunk = (name: string, bytes: number, more: Partial<Chunk> = {}): Chunk => ({
  type: 'chunk',
  name,
  code: randomBytes(bytes).toString('latin1'),
  isEntry: false,
  isDynamicEntry: false,
  imports: [],
  ...more,
})

describe('the script of a first load', () => {
  it('is that of the entry, of the heaviest page, and of all that they import, each counted once', () => {
    const { name, bytes } = heaviestPage({
      'entry.js': chunk('entry', 1_000, { isEntry: true, imports: ['shared.js'] }),
      'small.js': chunk('small', 100, { isDynamicEntry: true, imports: ['shared.js'] }),
      'heavy.js': chunk('heavy', 2_000, { isDynamicEntry: true, imports: ['shared.js', 'chart.js'] }),
      'shared.js': chunk('shared', 4_000),
      'chart.js': chunk('chart', 3_000, { imports: ['shared.js'] }),
    })
    assert.equal(name, 'heavy')
    assert.ok(bytes > 10_000, String(bytes))
    assert.ok(bytes < 17_000, String(bytes))
  })
})
