export const roleLabels = { viewer: 'Viewer', developer: 'Developer', owner: 'Owner' } as const

export const roleHints = {
  viewer: 'Can see what happens and find a person, but not alerts or the texts of messages. Changes nothing.',
  developer:
    'Can also help a person (send again, cancel, block), and change apps: settings, keys, routing, the guard and endpoints.',
  owner: 'Can also change the company and its team, and erase recipients.',
} as const
