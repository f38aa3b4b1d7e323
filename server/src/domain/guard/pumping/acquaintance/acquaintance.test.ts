import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hourMs, minuteMs, Play } from '../../../../../test/harness/play.ts'
import { longestRecipientGapMs, trustMs } from '../levels.ts'
import { placeOf } from '../place.ts'
import { acquaintanceOverMs } from '../stored/acquaintance-text.ts'
import { type Acquaintance, afterApproval, afterSend, stranger, trustOf, waitOf } from './acquaintance.ts'

const nowMs = 1_800_000_000_000
const sentTo = (count: number, first: Acquaintance = stranger) =>
  Array.from({ length: count }).reduce((known: Acquaintance) => afterSend(known, null, nowMs), first)

describe('a recipient', () => {
  it('is known for 180 days after an approval, and a stranger afterwards', () => {
    const known = afterApproval(stranger, 0.75, nowMs)
    assert.equal(trustOf(known, nowMs + trustMs - 1), 'known')
    assert.equal(trustOf(known, nowMs + trustMs), 'stranger')
    assert.equal(acquaintanceOverMs(known, nowMs), nowMs + trustMs, 'until when it is stored')
  })

  it('that asks again and again waits for an hour, then for two, and never for more than a day', () => {
    const waits = [4, 5, 6, 7, 40].map((count) => waitOf(sentTo(count), 0, nowMs))
    const hours = waits.map((wait) => wait && (wait.untilMs - nowMs) / hourMs)
    assert.deepEqual(hours, [null, 1, 2, 4, longestRecipientGapMs / hourMs])
  })

  it('waits later where one verification may send more, and not at all while its app learns, unless that is declared', () => {
    assert.equal(waitOf(sentTo(7), 8, nowMs), null)
    const sentBy = (play: Play) => Array.from({ length: 7 }, () => play.send('+994503112233')).filter(Boolean)
    assert.equal(sentBy(new Play({ learns: true })).length, 7)
    assert.equal(sentBy(new Play({ learns: true, declaredConversion: 0.7 })).length, 5)
  })

  it('is charged to its places once in a day, however often it asks', () => {
    const play = new Play({ isSettled: true })
    const number = '+994503112233'
    const { abroad } = placeOf({ appId: 'app', number, region: 'AZ', ipKey: null }, (prefix) => prefix)
    assert.ok(play.send(number))
    const owed = play.pumping.debtAt(abroad.carrier, play.nowMs)
    assert.ok(owed > 0 && play.send(number))
    assert.equal(play.pumping.debtAt(abroad.carrier, play.nowMs), owed)
  })

  it('that was sent another way counts as such until it is approved', () => {
    assert.equal(afterApproval({ ...stranger, reroutedAtMs: nowMs }, 0.75, nowMs).reroutedAtMs, 0)
  })

  it('pays back what a send was charged once, however often it is approved', () => {
    const play = new Play({ isSettled: true })
    const number = '+994503112233'
    const [hundred] = placeOf({ appId: 'app', number, region: 'AZ', ipKey: null }, (prefix) => prefix).ranges
    assert.ok(hundred)
    assert.ok(play.send(number))
    play.wait(10_000)
    play.approve(number)
    const owed = play.pumping.debtAt(hundred, play.nowMs)
    play.approve(number)
    assert.ok(owed < 0)
    assert.equal(play.pumping.debtAt(hundred, play.nowMs), owed)
    play.wait(minuteMs)
    assert.ok(play.pumping.debtAt(hundred, play.nowMs) <= 0, 'its second half is not charged')
  })
})
