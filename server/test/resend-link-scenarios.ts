/** The same scenarios where WhatsApp is in a link mode, and where its mode changes. */
import { mode, notAllowed, off, type Scenario, three } from './resend-scenario.ts'

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

export const linkModeScenarios: readonly Scenario[] = [
  ...linkScenarios('link_code', 'link_inbound'),
  ...linkScenarios('link_inbound', 'link_code'),
  ...changedScenarios,
]
