import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  decodeId,
  encodeBase32,
  type IdKind,
  idPrefixes,
  laterThan,
  lowestId,
  newId,
  parseId,
  timeOfId,
} from './ids.ts'

const kinds = Object.keys(idPrefixes) as IdKind[]
const dayMs = 86_400_000
const someDay = Date.UTC(2026, 1, 28)
/** The last millisecond that ten characters of base32 with a leading 0 to 7 can name. */
const endOfTime = 2 ** 48 - 1
const byBytes = (left: string, right: string) => Buffer.compare(Buffer.from(left), Buffer.from(right))

describe('ids', () => {
  it('have a prefix of their own for every kind', () => {
    assert.equal(new Set(Object.values(idPrefixes)).size, kinds.length)
    for (const kind of kinds) assert.ok(newId(kind, someDay).startsWith(`${idPrefixes[kind]}_`))
  })

  it('of what follows from a thing sort after it, whatever the clock says and whatever was made between', () => {
    for (const late of [-5, 0, 5]) {
      const first = newId('entry', someDay)
      newId('entry', someDay + 1)
      const next = newId('entry', laterThan(first, someDay + late))
      assert.ok(byBytes(first, next) < 0)
    }
  })

  it('sort by time, compared byte by byte as the database does', () => {
    const times = [
      0,
      1,
      31,
      32,
      33,
      1023,
      1024,
      someDay - 1,
      someDay,
      someDay + 1,
      someDay + dayMs,
      endOfTime,
    ]
    for (const kind of kinds) {
      const made = times.map((time) => newId(kind, time))
      assert.deepEqual(made.toSorted(byBytes), made)
    }
  })

  it('sort by the order in which they were made, within one millisecond too', () => {
    for (const kind of kinds) {
      const made = Array.from({ length: 200 }, () => newId(kind, someDay))
      assert.deepEqual(made.toSorted(byBytes), made)
    }
  })

  it('cannot be told from the one before, though they follow it', () => {
    const steps = Array.from({ length: 200 }, () => newId('verification', someDay)).map(decodeId)
    const apart = steps.slice(1).map((id, index) => id - (steps[index] ?? 0n))
    assert.equal(new Set(apart).size, apart.length)
    assert.ok(apart.filter((step) => step > 2n ** 44n).length > 150)
  })

  it('carry the millisecond that they were made in', () => {
    for (const time of [0, 1, 999, someDay, someDay + 86_399_999, endOfTime]) {
      assert.equal(timeOfId(newId('verification', time)), time)
      assert.equal(timeOfId(lowestId('verification', time)), time)
    }
  })

  it('drop the fraction of a millisecond', () => {
    assert.equal(timeOfId(newId('event', someDay + 0.9)), someDay)
  })

  it('differ though they were made in the same millisecond', () => {
    const made = new Set(Array.from({ length: 20_000 }, () => newId('verification', someDay)))
    assert.equal(made.size, 20_000)
  })

  it('use every character in every random place', () => {
    const seen = Array.from({ length: 16 }, () => new Set<string>())
    for (let count = 0; count < 3_000; count++) {
      const random = newId('key', someDay + count).slice(-16)
      seen.forEach((characters, place) => void characters.add(random.charAt(place)))
    }
    for (const characters of seen) assert.equal(characters.size, 32)
  })

  it('have the same length whatever the time', () => {
    for (const time of [0, someDay, endOfTime]) assert.equal(newId('company', time).length, 30)
  })
})

describe('the lowest id of a time', () => {
  it('is not above any id of that millisecond, and above every id of the one before', () => {
    const bound = lowestId('delivery', someDay)
    for (let count = 0; count < 500; count++) {
      assert.ok(byBytes(newId('delivery', someDay), bound) >= 0)
      assert.ok(byBytes(newId('delivery', someDay - 1), bound) < 0)
    }
  })

  it('is itself an id, so that a bound may be looked up as one', () => {
    for (const kind of kinds) assert.equal(parseId(kind, lowestId(kind, someDay)), lowestId(kind, someDay))
  })

  it('cuts days without a gap and without an overlap', () => {
    const lastOfDay = newId('verification', someDay + dayMs - 1)
    const firstOfNext = newId('verification', someDay + dayMs)
    const border = lowestId('verification', someDay + dayMs)
    assert.ok(byBytes(lastOfDay, border) < 0)
    assert.ok(byBytes(firstOfNext, border) >= 0)
  })
})

describe('parsing an id', () => {
  const good = newId('verification', someDay)

  it('takes what was made', () => {
    for (const kind of kinds) {
      const id = newId(kind, someDay)
      assert.equal(parseId(kind, id), id)
    }
  })

  it('refuses an id of another kind', () => {
    for (const kind of kinds) {
      if (kind !== 'verification') assert.equal(parseId(kind, good), null)
    }
  })

  const bad: Readonly<Record<string, string>> = {
    'nothing at all': '',
    'the prefix alone': 'otp_',
    'one character too few': good.slice(0, -1),
    'one character too many': `${good}0`,
    'a line break at the end': `${good}\n`,
    'a line break before it': `\n${good}`,
    'a space around it': ` ${good} `,
    'a NUL at the end': `${good}\0`,
    'a NUL inside': `${good.slice(0, -1)}\0`,
    'capital letters': good.toUpperCase(),
    'a letter that the alphabet leaves out': `${good.slice(0, -1)}u`,
    'a time beyond what can be written': `otp_8${good.slice(5)}`,
    'another separator': good.replace('_', '-'),
    'no separator': good.replace('_', ''),
    'full-width digits': good.replace(/[0-9]/, '０'),
    'a wildcard': `otp_${'%'.repeat(26)}`,
    'a very long text': `otp_${'0'.repeat(100_000)}`,
  }
  for (const [name, text] of Object.entries(bad)) {
    it(`refuses ${name}`, () => assert.equal(parseId('verification', text), null))
  }
})

describe('base32', () => {
  it('writes known bytes as Crockford does, in small letters', () => {
    assert.equal(encodeBase32(Buffer.from([])), '')
    assert.equal(encodeBase32(Buffer.from([0])), '00')
    assert.equal(encodeBase32(Buffer.from([255])), 'zw')
    assert.equal(encodeBase32(Buffer.from('f')), 'cr')
    assert.equal(encodeBase32(Buffer.from('foobar')), 'csqpyrk1e8')
  })

  it('writes 80 bits in sixteen characters and 256 bits in fifty-two', () => {
    assert.equal(encodeBase32(Buffer.alloc(10, 0xab)).length, 16)
    assert.equal(encodeBase32(Buffer.alloc(32, 0xab)).length, 52)
  })

  it('gives different texts to different bytes', () => {
    const texts = new Set(
      Array.from({ length: 65_536 }, (_, value) => encodeBase32(Buffer.from([value >> 8, value & 255]))),
    )
    assert.equal(texts.size, 65_536)
  })
})
