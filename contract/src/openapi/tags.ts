/** How operations are grouped, by what their paths are about. The first that fits counts. */
const groups: readonly (readonly [tag: string, description: string, path: RegExp])[] = [
  [
    'Verification',
    'What backends and devices call: send, resend, verify, look up, exchange.',
    /^\/(api\/v1|\.well-known)\//,
  ],
  ['Health', 'Whether a node lives and can serve.', /^\/(healthz|readyz)$/],
  ['Callbacks', 'Where providers report on messages.', /^\/hooks\//],
  ['Providers', 'Accounts that carry messages.', /^\/manage\/v1\/providers/],
  ['Webhooks', 'Your endpoints, and the events that are sent to them.', /\/(webhooks?|events)(\/|$)/],
  ['Rules', 'An app’s own rules.', /\/rules(\/|$)/],
  ['Alerts', 'Who gets alerts, and what needs attention.', /\/(alerts|attention)(\/|$)/],
  [
    'Signing in',
    'The person who is signed in: sessions, passkeys, fresh proofs.',
    /^\/manage\/v1\/(sign-in(\/|$)|me(\/|$)|sessions|passkeys)/,
  ],
  [
    'Operators',
    'For those who run the installation.',
    /^\/manage\/v1\/(installation|operators|sign-in-links|blocks)(\/|$)/,
  ],
  ['Team', 'Members, invitations and the audit trail.', /\/(members|invitations|sign-in-rules|audit)(\/|$)/],
  ['Money', 'Prices, balance and spending.', /\/(prices|credits|ledger|spend)(\/|$)/],
  ['Guard', 'What the guard holds back, and the lists that it uses.', /\/(blocks|guessing|ip-sources)(\/|$)/],
  [
    'Lists and figures',
    'Lists of verifications, refusals and errors, and figures.',
    /\/(stats|refusals|errors|attempts|routes)(\/|$)|\/apps\/\{app_id\}\/(verifications|preview)(\/|$)/,
  ],
  [
    'People',
    'Finding, helping, blocking and forgetting one person.',
    /\/(verifications|search|exceptions|erasures)(\/|$)/,
  ],
  ['Messages', 'Texts and languages.', /\/(messages|locales)(\/|$)/],
  ['Apps and keys', 'Apps, their settings and their keys.', /\/(apps|keys)(\/|$)/],
  ['Companies', 'Companies of the installation.', /^\/manage\/v1\/companies/],
  ['Management', 'Everything else.', /^/],
]

export const tagOf = (path: string): string => groups.find(([, , pattern]) => pattern.test(path))?.[0] ?? ''

/** The tags that are in use, in the order in which a reader needs them. */
export const tagsAmong = (used: ReadonlySet<string>) =>
  readingOrder
    .filter((tag) => used.has(tag))
    .map((name) => ({ name, description: groups.find(([tag]) => tag === name)?.[1] ?? '' }))

const readingOrder = [
  'Verification',
  'Apps and keys',
  'Providers',
  'Webhooks',
  'Lists and figures',
  'People',
  'Rules',
  'Guard',
  'Money',
  'Alerts',
  'Messages',
  'Companies',
  'Team',
  'Signing in',
  'Operators',
  'Management',
  'Callbacks',
  'Health',
]
