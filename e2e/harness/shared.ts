/** Something that all files of a process share: opened for the first file that uses it, closed after the last. */
import assert from 'node:assert/strict'
import { after, before } from 'node:test'

interface Way<Thing> {
  readonly open: () => Promise<Thing>
  readonly close: (thing: Thing) => Promise<void>
}

export class Shared<Thing> {
  readonly #way: Way<Thing>
  #users = 0
  #opened: Promise<Thing> | null = null

  constructor(way: Way<Thing>) {
    this.#way = way
  }

  /** Gives access to it in the tests of the file or suite that calls this. */
  use(): () => Thing {
    let thing: Thing | undefined
    this.#users++
    before(async () => {
      this.#opened ??= this.#way.open()
      thing = await this.#opened
    })
    after(() => this.#leave())
    return () => {
      assert.ok(thing, 'it has not been opened')
      return thing
    }
  }

  async #leave(): Promise<void> {
    this.#users--
    if (this.#users > 0 || !this.#opened) return
    const opened = this.#opened
    this.#opened = null
    await this.#way.close(await opened)
  }
}
