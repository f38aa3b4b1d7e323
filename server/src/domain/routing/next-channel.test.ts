import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type ChannelName, channelNames, type WhatsappMode } from '@countersign/contract'
import { nextChannel, type ResendState, type ResendStep } from './next-channel.ts'
import type { Order } from './order.ts'

const orderOf = (configured: readonly ChannelName[], off: readonly ChannelName[] = []): Order => ({
  configured,
  usable: configured.filter((channel) => !off.includes(channel)),
  reachable: channelNames.filter((channel) => !off.includes(channel)),
  leftOut: [],
})
const on = (channel: ChannelName): ResendState => ({ channel, linkMode: null })
const onLink = (linkMode: 'link_code' | 'link_inbound' = 'link_code'): ResendState => ({
  channel: 'whatsapp',
  linkMode,
})
const same = (channel: ChannelName): ResendStep => ({ kind: 'message', channel, isFresh: false })
const fresh = (channel: ChannelName): ResendStep => ({ kind: 'message', channel, isFresh: true })
const link = (linkMode: 'link_code' | 'link_inbound'): ResendStep => ({ kind: 'link', linkMode })
const sameLink: ResendStep = { kind: 'same-link' }
const nowhere: ResendStep = { kind: 'nowhere' }

const three: ChannelName[] = ['sms', 'whatsapp', 'telegram']
const whatsappFirst: ChannelName[] = ['whatsapp', 'sms', 'telegram']

const plain: [string, Order, WhatsappMode, ResendState, ResendStep][] = [
  [
    'the next of the order comes, with the same code',
    orderOf(three),
    'template',
    on('sms'),
    same('whatsapp'),
  ],
  ['the last of the order is repeated', orderOf(three), 'template', on('telegram'), same('telegram')],
  ['what is not usable is passed by', orderOf(three, ['whatsapp']), 'template', on('sms'), same('telegram')],
  [
    'from a channel that is no longer usable, what stood after it comes',
    orderOf(three, ['whatsapp']),
    'template',
    on('whatsapp'),
    same('telegram'),
  ],
  [
    'with nothing usable after it, the last usable is repeated',
    orderOf(three, ['telegram']),
    'template',
    on('telegram'),
    same('whatsapp'),
  ],
  [
    'from a channel outside the order, the first comes',
    orderOf(['sms', 'telegram']),
    'template',
    on('whatsapp'),
    same('sms'),
  ],
  ['with nothing usable there is nowhere to go', orderOf(three, three), 'template', on('sms'), nowhere],
  ['a link mode is passed by', orderOf(three), 'link_code', on('sms'), same('telegram')],
  [
    'a link mode at the end is passed by, and the last usable repeated',
    orderOf(['sms', 'whatsapp']),
    'link_inbound',
    on('sms'),
    same('sms'),
  ],
  [
    'a link mode at the front is not gone back to',
    orderOf(whatsappFirst),
    'link_code',
    on('telegram'),
    same('telegram'),
  ],
  [
    'a message on WhatsApp whose mode became a link moves on',
    orderOf(whatsappFirst),
    'link_code',
    on('whatsapp'),
    same('sms'),
  ],
  [
    'with a link mode alone, a channel that was named is repeated',
    orderOf(['whatsapp']),
    'link_code',
    on('sms'),
    same('sms'),
  ],
  [
    'with a link mode alone, and no channel that was named, there is nowhere to go',
    orderOf(['whatsapp'], ['sms']),
    'link_code',
    on('sms'),
    nowhere,
  ],
  [
    'on a link outside the order the same link comes',
    orderOf(['sms', 'telegram']),
    'link_code',
    onLink(),
    sameLink,
  ],
  ['on a link the same link comes', orderOf(whatsappFirst), 'link_code', onLink(), sameLink],
  [
    'on a link that is not first the same link comes',
    orderOf(three),
    'link_inbound',
    onLink('link_inbound'),
    sameLink,
  ],
  [
    'on a link the same link comes after a change of mode',
    orderOf(whatsappFirst),
    'template',
    onLink(),
    sameLink,
  ],
  [
    'on a link that is no longer usable a fresh code goes elsewhere',
    orderOf(whatsappFirst, ['whatsapp']),
    'link_code',
    onLink(),
    fresh('sms'),
  ],
  [
    'on a link at the end that is no longer usable too',
    orderOf(['sms', 'whatsapp'], ['whatsapp']),
    'link_code',
    onLink(),
    fresh('sms'),
  ],
  [
    'on a link with nothing usable there is nowhere to go',
    orderOf(['whatsapp'], ['whatsapp']),
    'link_code',
    onLink(),
    nowhere,
  ],
]

const named: [string, Order, WhatsappMode, ResendState, ChannelName, ResendStep][] = [
  ['it brings a fresh code', orderOf(three), 'template', on('sms'), 'telegram', fresh('telegram')],
  ['it may be the current one', orderOf(three), 'template', on('sms'), 'sms', fresh('sms')],
  ['it may lie behind', orderOf(three), 'template', on('telegram'), 'sms', fresh('sms')],
  ['it must be usable', orderOf(three, ['telegram']), 'template', on('sms'), 'telegram', nowhere],
  ['it need not be in the order', orderOf(['sms']), 'template', on('sms'), 'telegram', fresh('telegram')],
  [
    'whatsapp as a template is a message',
    orderOf(three),
    'template',
    on('sms'),
    'whatsapp',
    fresh('whatsapp'),
  ],
  ['whatsapp in link_code is a link', orderOf(three), 'link_code', on('sms'), 'whatsapp', link('link_code')],
  [
    'whatsapp in link_inbound is a link',
    orderOf(three),
    'link_inbound',
    on('sms'),
    'whatsapp',
    link('link_inbound'),
  ],
  [
    'whatsapp on a link is a new link',
    orderOf(whatsappFirst),
    'link_code',
    onLink(),
    'whatsapp',
    link('link_code'),
  ],
  [
    'whatsapp on a link has the mode of today',
    orderOf(whatsappFirst),
    'link_inbound',
    onLink('link_code'),
    'whatsapp',
    link('link_inbound'),
  ],
  [
    'whatsapp on a link, now a template, is a message',
    orderOf(whatsappFirst),
    'template',
    onLink(),
    'whatsapp',
    fresh('whatsapp'),
  ],
  [
    'another one leaves the link',
    orderOf(whatsappFirst),
    'link_inbound',
    onLink('link_inbound'),
    'sms',
    fresh('sms'),
  ],
]

describe('a plain resend', () => {
  for (const [name, order, mode, current, expected] of plain)
    it(name, () => assert.deepEqual(nextChannel(order, mode, current, null), expected))
})

describe('a named channel', () => {
  for (const [name, order, mode, current, channel, expected] of named)
    it(name, () => assert.deepEqual(nextChannel(order, mode, current, channel), expected))
})

describe('whatever the order, the mode and the place', () => {
  const modes: WhatsappMode[] = ['template', 'link_code', 'link_inbound']
  const states: ResendState[] = [...channelNames.map(on), onLink('link_code'), onLink('link_inbound')]

  function* situations() {
    for (const configured of arrangements(channelNames)) {
      for (let mask = 0; mask < 1 << configured.length; mask++) {
        const order = orderOf(
          configured,
          configured.filter((_, index) => mask & (1 << index)),
        )
        for (const mode of modes) for (const current of states) yield { order, mode, current }
      }
    }
  }

  it('a plain resend never enters a link, and leaves one only when it must', () => {
    for (const { order, mode, current } of situations()) {
      const step = nextChannel(order, mode, current, null)
      assert.notEqual(step.kind, 'link')
      const mayStay = current.linkMode !== null && order.reachable.includes('whatsapp')
      assert.equal(step.kind === 'same-link', mayStay)
      if (step.kind === 'message') assert.ok(!(step.channel === 'whatsapp' && mode !== 'template'))
    }
  })

  it('a message goes to a channel that reaches the person, and is fresh exactly when it leaves a link or was named', () => {
    for (const { order, mode, current } of situations()) {
      for (const channel of [null, ...channelNames]) {
        const step = nextChannel(order, mode, current, channel)
        if (step.kind !== 'message') continue
        assert.ok(order.reachable.includes(step.channel))
        assert.equal(step.isFresh, channel !== null || current.linkMode !== null)
        if (channel !== null) assert.equal(step.channel, channel)
      }
    }
  })

  it('a plain resend ends nowhere exactly when neither the order nor its own channel can carry it on', () => {
    for (const { order, mode, current } of situations()) {
      const step = nextChannel(order, mode, current, null)
      const own = order.reachable.filter((channel) => channel === current.channel)
      const carriers = [...order.usable, ...own].filter(
        (channel) => channel !== 'whatsapp' || mode === 'template',
      )
      const hasLink = current.linkMode !== null && order.reachable.includes('whatsapp')
      assert.equal(step.kind === 'nowhere', carriers.length === 0 && !hasLink)
    }
  })

  it('plain resends visit every usable channel after the first in order, and then stay on the last', () => {
    for (const configured of arrangements(channelNames)) {
      const order = orderOf(configured)
      const [first] = configured
      if (!first) continue
      const visited: ChannelName[] = [first]
      for (let round = 1; round < configured.length + 2; round++) {
        const step = nextChannel(order, 'template', on(visited.at(-1) ?? first), null)
        assert.equal(step.kind, 'message')
        if (step.kind === 'message') visited.push(step.channel)
      }
      const last = configured.at(-1)
      assert.deepEqual(visited, [...configured, last, last])
    }
  })
})

function arrangements(channels: readonly ChannelName[]): ChannelName[][] {
  const longer = channels.flatMap((channel) =>
    arrangements(channels.filter((other) => other !== channel)).map((rest) => [channel, ...rest]),
  )
  return [[], ...longer]
}
