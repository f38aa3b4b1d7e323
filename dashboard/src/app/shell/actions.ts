/** Actions that can be started from anywhere: the page of each, and the tab or the dialog that opens there. */
export const appActions = [
  {
    to: '/a/$appId/keys',
    search: { open: 'create-key' },
    label: 'Create an API key',
    words: ['server', 'publishable'],
    needs: 'developer',
  },
  {
    to: '/a/$appId/webhooks',
    search: {},
    label: 'Set, test or re-enable a webhook endpoint',
    words: ['url', 'secret', 'rotate', 'paused'],
    needs: 'developer',
  },
  {
    to: '/a/$appId/webhooks',
    search: { open: 'add-endpoint' },
    label: 'Add a webhook endpoint',
    words: ['url', 'new', 'types'],
    needs: 'developer',
  },
  {
    to: '/a/$appId/verifications',
    search: {},
    label: 'Find a verification',
    words: ['search', 'recipient', 'number', 'email'],
    needs: 'viewer',
  },
  {
    to: '/a/$appId/verifications',
    search: { view: 'refused' },
    label: 'See what was refused',
    words: ['refusal', 'blocked', 'limit', 'why'],
    needs: 'viewer',
  },
  {
    to: '/a/$appId/guard',
    search: { tab: 'history' },
    label: 'See what the guard has held back',
    words: ['refusal', 'history', 'saved', 'pumping'],
    needs: 'viewer',
  },
  {
    to: '/a/$appId/events',
    search: { status: 'failed' },
    label: 'Replay failed events',
    words: ['webhook', 'failed'],
    needs: 'developer',
  },
  {
    to: '/a/$appId/routing',
    search: {},
    label: 'Preview what a send would do',
    words: ['number', 'try', 'order'],
    needs: 'viewer',
  },
  {
    to: '/a/$appId/channels',
    search: { open: 'add-provider', tab: 'accounts' },
    label: 'Add a provider account for the company',
    words: ['twilio', 'smtp', 'smpp', 'carrier'],
    needs: 'developer',
  },
  {
    to: '/a/$appId/channels',
    search: { tab: 'messages' },
    label: 'Edit message texts',
    words: ['template', 'language'],
    needs: 'developer',
  },
  {
    to: '/a/$appId/guard',
    search: { tab: 'countries' },
    label: 'Block or allow countries',
    words: ['geo'],
    needs: 'developer',
  },
  {
    to: '/a/$appId/guard',
    search: { tab: 'pumping' },
    label: 'Lift a block',
    words: ['pumping', 'fraud', 'prefix'],
    needs: 'developer',
  },
  {
    to: '/a/$appId/guard',
    search: { tab: 'limits' },
    label: 'Change limits',
    words: ['rate'],
    needs: 'developer',
  },
  {
    to: '/a/$appId/guard',
    search: { tab: 'spend' },
    label: 'Set spend caps',
    words: ['money', 'budget'],
    needs: 'developer',
  },
] as const

export const companyActions = [
  {
    to: '/c/$companyId/apps',
    search: { open: 'create-app' },
    label: 'Create an app',
    words: ['new', 'product'],
    needs: 'developer',
  },
  {
    to: '/c/$companyId/team',
    search: { open: 'invite' },
    label: 'Invite a person',
    words: ['member', 'team'],
    needs: 'owner',
  },
  {
    to: '/c/$companyId/settings',
    search: { open: 'erase' },
    label: 'Erase a recipient',
    words: ['forget', 'privacy', 'delete'],
    needs: 'owner',
  },
  {
    to: '/c/$companyId/billing',
    search: { open: 'top-up' },
    label: 'Top up the balance',
    words: ['credit', 'money'],
    needs: 'operator',
  },
] as const

export const operatorActions = [
  {
    to: '/operator/companies',
    search: { open: 'create-company' },
    label: 'Create a company',
    words: ['tenant', 'new'],
  },
  {
    to: '/operator/providers',
    search: { open: 'add-provider' },
    label: 'Add a provider account for all companies',
    words: ['twilio', 'smtp', 'smpp', 'carrier'],
  },
] as const
