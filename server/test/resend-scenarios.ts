/** Rules 1 to 8 of a resend and their combinations, as tables: where each step lands and what it brings. */
import { freshEmail } from './harness/fixtures.ts'

type Settings = Record<string, unknown>

export interface Step {
  /** Settings changed before the resend. */
  readonly patch?: Settings
  /** Absent: a plain resend. */
  readonly named?: string
  /** The channel it lands on, or the refusal. */
  readonly to: string
  /** `same` and `fresh`: which code arrives. `same link` and `new link`: nothing is sent, a link is answered. */
  readonly brings?: 'same' | 'fresh' | 'same link' | 'new link'
}

export interface Scenario {
  readonly name: string
  readonly order: readonly string[]
  readonly mode?: string
  readonly recipient?: string
  readonly settings?: Settings
  /** Channels whose provider says "not here" for this recipient. */
  readonly unreachable?: readonly string[]
  readonly starts: string
  readonly steps: readonly Step[]
}

export const notAllowed = 'ResendNotAllowedError'
const off = (channel: string): Settings => ({ channels: { [channel]: { enabled: false } } })
const mode = (name: string): Settings => ({ channels: { whatsapp: { mode: name } } })
const three = ['sms', 'whatsapp', 'telegram']

const templateScenarios: Scenario[] = [
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

function linkScenarios(linkMode: string, otherMode: string): Scenario[] {
  const list: Scenario[] = [
    {
      name: 'a plain resend skips WhatsApp where it is not first',
      order: three,
      starts: 'sms',
      steps: [
        { to: 'telegram', brings: 'same' },
        { to: 'telegram', brings: 'same' },
      ],
    },
    {
      name: 'where only WhatsApp would come next, the last usable channel is repeated',
      order: ['sms', 'whatsapp'],
      starts: 'sms',
      steps: [{ to: 'sms', brings: 'same' }],
    },
    {
      name: 'a plain resend on a link answers the same link, however often',
      order: ['whatsapp', 'sms'],
      starts: 'whatsapp',
      steps: [
        { to: 'whatsapp', brings: 'same link' },
        { to: 'whatsapp', brings: 'same link' },
      ],
    },
    {
      name: 'naming whatsapp makes a link, which plain resends then answer again',
      order: three,
      starts: 'sms',
      steps: [
        { named: 'whatsapp', to: 'whatsapp', brings: 'new link' },
        { to: 'whatsapp', brings: 'same link' },
      ],
    },
    {
      name: 'naming whatsapp on a link makes another link',
      order: ['whatsapp', 'sms'],
      starts: 'whatsapp',
      steps: [
        { named: 'whatsapp', to: 'whatsapp', brings: 'new link' },
        { to: 'whatsapp', brings: 'same link' },
      ],
    },
    {
      name: 'naming sms on a link brings a fresh code, and no later plain resend goes back to the link',
      order: ['whatsapp', 'sms', 'telegram'],
      starts: 'whatsapp',
      steps: [
        { named: 'sms', to: 'sms', brings: 'fresh' },
        { to: 'telegram', brings: 'same' },
        { to: 'telegram', brings: 'same' },
      ],
    },
    {
      name: 'off the link and at the end of the order, the last channel is repeated',
      order: ['whatsapp', 'sms'],
      starts: 'whatsapp',
      steps: [
        { named: 'sms', to: 'sms', brings: 'fresh' },
        { to: 'sms', brings: 'same' },
        { named: 'whatsapp', to: 'whatsapp', brings: 'new link' },
      ],
    },
    {
      name: 'a link outlives a change to templates, and naming whatsapp then brings a message',
      order: ['whatsapp', 'sms'],
      starts: 'whatsapp',
      steps: [
        { patch: mode('template'), to: 'whatsapp', brings: 'same link' },
        { named: 'whatsapp', to: 'whatsapp', brings: 'fresh' },
        { to: 'sms', brings: 'same' },
      ],
    },
    {
      name: 'a link outlives a change to the other link mode, which the next link has',
      order: ['whatsapp', 'sms'],
      starts: 'whatsapp',
      steps: [
        { patch: mode(otherMode), to: 'whatsapp', brings: 'same link' },
        { named: 'whatsapp', to: 'whatsapp', brings: 'new link' },
      ],
    },
    {
      name: 'when WhatsApp is switched off, the link ends and a plain resend brings a fresh code elsewhere',
      order: ['whatsapp', 'sms'],
      starts: 'whatsapp',
      steps: [
        { patch: off('whatsapp'), to: 'sms', brings: 'fresh' },
        { named: 'whatsapp', to: notAllowed },
        { to: 'sms', brings: 'same' },
      ],
    },
    {
      name: 'when WhatsApp is switched off and nothing else is there, a resend is refused',
      order: ['whatsapp'],
      settings: { channels: { whatsapp: { mode: linkMode }, sms: { enabled: false } } },
      starts: 'whatsapp',
      steps: [
        { named: 'sms', to: notAllowed },
        { patch: off('whatsapp'), to: notAllowed },
      ],
    },
  ]
  return list.map((scenario) => ({ ...scenario, name: `${linkMode}: ${scenario.name}`, mode: linkMode }))
}

const changedScenarios = ['link_code', 'link_inbound'].flatMap((linkMode): Scenario[] => [
  {
    name: `a message on WhatsApp, then ${linkMode}: a plain resend moves on with the same code`,
    order: ['whatsapp', 'sms'],
    starts: 'whatsapp',
    steps: [
      { patch: mode(linkMode), to: 'sms', brings: 'same' },
      { named: 'whatsapp', to: 'whatsapp', brings: 'new link' },
    ],
  },
  {
    name: `a message on WhatsApp as the last of the order, then ${linkMode}: the last usable channel is repeated`,
    order: ['sms', 'whatsapp'],
    starts: 'sms',
    steps: [
      { to: 'whatsapp', brings: 'same' },
      { patch: mode(linkMode), to: 'sms', brings: 'same' },
    ],
  },
])

export const scenarios: readonly Scenario[] = [
  ...templateScenarios,
  ...linkScenarios('link_code', 'link_inbound'),
  ...linkScenarios('link_inbound', 'link_code'),
  ...changedScenarios,
]
