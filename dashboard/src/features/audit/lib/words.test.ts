import assert from 'node:assert/strict'
import { it } from 'node:test'
import { operations } from '@countersign/contract'
import { type AuditEntry, actionText, changeLines, subjectText } from './words.ts'

const linesOf = (changes: AuditEntry['changes']) => changeLines({ action: 'updateApp', changes })

it('has words for every change that the trail can have', () => {
  const changes = Object.entries(operations).filter(
    ([, operation]) =>
      operation.path.startsWith('/manage/') && operation.method !== 'GET' && !('isReading' in operation),
  )
  const wordless = changes.filter(
    ([name]) => actionText(name).replaceAll(' ', '').toLowerCase() === name.toLowerCase(),
  )
  assert.deepEqual(
    wordless.map(([name]) => name),
    [],
  )
})

it('tells a change field by field, by the labels of the pages where it is made', () => {
  const routing = { default: ['sms', 'email'], countries: { BR: ['whatsapp'], DE: [] } }
  assert.deepEqual(linesOf({ name: 'Shop', routing, geo: { countries: {} }, spend: null }), [
    ['Name', 'Shop'],
    ['Routing › Default order', 'sms, email'],
    ['Routing › Countries › BR', 'whatsapp'],
    ['Routing › Countries › DE', 'none'],
    ['Countries › Blocked or allowed', 'none'],
    ['spend', 'default'],
  ])
  assert.deepEqual(linesOf({ channels: { sms: { enabled: false } }, proof: { audience: null } }), [
    ['Channels › SMS › enabled', 'false'],
    ['Signed proofs › Audience', 'none'],
  ])
  assert.deepEqual(changeLines({ action: 'updateMe', changes: { name: null } }), [['Name', 'none']])
  assert.deepEqual(linesOf({ limits: { ip: [{ max: 5, window_s: 60 }] } }), [
    ['Limits › One address › 1', 'at most 5 in 60 s'],
  ])
  assert.deepEqual(linesOf({ endpoint_id: 'whe_1' }), [['endpoint id', 'whe_1']])
})

it('has a label for every setting of an app', () => {
  const recorded = operations.updateApp.recorded
  const shown = recorded.flatMap((setting) => linesOf({ [setting]: 1 }).map(([label]) => [setting, label]))
  assert.deepEqual(
    shown.filter(([setting = '', label = '']) => label === setting || !/^[A-Z]/.test(label)),
    [],
  )
})

it('tells what is nested in a list one by one, and of very much only the first', () => {
  const rules = [
    { name: 'Tunnels', when: { ip_class: ['vpn', 'tor'] } },
    { name: 'Ours', when: {} },
  ]
  assert.deepEqual(linesOf({ rules }), [
    ['rules › 1', 'name Tunnels, when.ip class vpn, tor'],
    ['rules › 2', 'name Ours, when none'],
  ])
  const many = linesOf(Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`f${index}`, index])))
  assert.deepEqual([many.length, many.at(-1)], [9, ['…', 'and 12 more']])
  assert.equal(linesOf({ text: 'x'.repeat(500) })[0]?.[1].length, 121)
})

it('names what a change was made to, unless it is the company or the app that stand beside it anyway', () => {
  const entry = { action: 'liftBlock', company_id: 'cmp_1', app_id: 'app_1' } as AuditEntry
  const of = (subject: string | null, action = entry.action) => subjectText({ ...entry, action, subject })
  assert.deepEqual(
    [of('blk_1'), of('cmp_1'), of('app_1'), of(null), of('2', 'restoreRuleRevision')],
    ['blk_1', null, null, null, 'revision 2'],
  )
})
