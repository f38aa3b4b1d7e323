/** Rules 1 to 8 of a resend and their combinations, where every channel sends a message. */
import { freshEmail } from './harness/fixtures.ts'
import { notAllowed, off, type Scenario, three } from './resend-scenario.ts'

export const templateScenarios: readonly Scenario[] = [
  {
    name: 'a plain resend walks the order with one code and then repeats the last channel',
    order: three,
    starts: 'sms',
    steps: [
      { to: 'whatsapp', brings: 'same' },
      { to: 'telegram', brings: 'same' },
      { to: 'telegram', brings: 'same' },
      { to: 'telegram', brings: 'same' },
    ],
  },
  {
    name: 'a country’s own order is walked instead of the default',
    order: three,
    recipient: '+5511987654321',
    settings: { routing: { default: three, countries: { BR: ['telegram', 'sms'] } } },
    starts: 'telegram',
    steps: [
      { to: 'sms', brings: 'same' },
      { to: 'sms', brings: 'same' },
      { named: 'whatsapp', to: 'whatsapp', brings: 'fresh' },
      { to: 'telegram', brings: 'same' },
    ],
  },
  {
    name: 'a named channel brings a fresh code, and a plain resend after it the same one on what comes next',
    order: three,
    starts: 'sms',
    steps: [
      { named: 'whatsapp', to: 'whatsapp', brings: 'fresh' },
      { to: 'telegram', brings: 'same' },
    ],
  },
  {
    name: 'naming the channel that it is on brings a fresh code there',
    order: three,
    starts: 'sms',
    steps: [
      { named: 'sms', to: 'sms', brings: 'fresh' },
      { named: 'sms', to: 'sms', brings: 'fresh' },
    ],
  },
  {
    name: 'a plain resend goes on from where a named one went back to',
    order: three,
    starts: 'sms',
    steps: [
      { named: 'telegram', to: 'telegram', brings: 'fresh' },
      { named: 'sms', to: 'sms', brings: 'fresh' },
      { to: 'whatsapp', brings: 'same' },
    ],
  },
  {
    name: 'an email address has one channel, which is repeated',
    order: ['sms', 'whatsapp', 'telegram', 'email'],
    recipient: freshEmail(),
    starts: 'email',
    steps: [
      { to: 'email', brings: 'same' },
      { named: 'email', to: 'email', brings: 'fresh' },
      { named: 'sms', to: notAllowed },
    ],
  },
  {
    name: 'a channel outside the order can be named, one for another kind of recipient cannot',
    order: ['sms', 'whatsapp', 'email'],
    starts: 'sms',
    steps: [
      { named: 'telegram', to: 'telegram', brings: 'fresh' },
      { named: 'email', to: notAllowed },
      { to: 'sms', brings: 'same' },
    ],
  },
  {
    name: 'a channel that was switched off in between is passed by and cannot be named',
    order: three,
    starts: 'sms',
    steps: [
      { patch: off('whatsapp'), named: 'whatsapp', to: notAllowed },
      { to: 'telegram', brings: 'same' },
    ],
  },
  {
    name: 'a resend from a channel that was switched off goes to what stood after it',
    order: three,
    starts: 'sms',
    steps: [
      { to: 'whatsapp', brings: 'same' },
      { patch: off('whatsapp'), to: 'telegram', brings: 'same' },
    ],
  },
  {
    name: 'when the last channel was switched off, the last that is still usable is repeated',
    order: three,
    starts: 'sms',
    steps: [
      { named: 'telegram', to: 'telegram', brings: 'fresh' },
      { patch: off('telegram'), to: 'whatsapp', brings: 'same' },
      { to: 'whatsapp', brings: 'same' },
    ],
  },
  {
    name: 'with no channel left a plain and a named resend are refused',
    order: ['sms'],
    starts: 'sms',
    steps: [
      { patch: off('sms'), to: notAllowed },
      { named: 'sms', to: notAllowed },
    ],
  },
  {
    name: 'a channel that turned out unreachable is passed by and cannot be named',
    order: three,
    unreachable: ['sms'],
    starts: 'sms',
    steps: [
      { to: 'whatsapp', brings: 'same' },
      { named: 'sms', to: notAllowed },
      { to: 'telegram', brings: 'same' },
    ],
  },
  {
    name: 'when the current last channel turned out unreachable, the last usable one is repeated',
    order: ['whatsapp', 'sms'],
    unreachable: ['sms'],
    starts: 'whatsapp',
    steps: [
      { to: 'sms', brings: 'same' },
      { to: 'whatsapp', brings: 'same' },
    ],
  },
  {
    name: 'when the only channel turned out unreachable there is nothing left',
    order: ['whatsapp'],
    unreachable: ['whatsapp'],
    starts: 'whatsapp',
    steps: [{ to: notAllowed }, { named: 'whatsapp', to: notAllowed }],
  },
]
