/** What can be done from anywhere: the page that it is done on, and the dialog that opens there. */
export const appActions = [
  {
    to: '/a/$appId/keys',
    open: 'create-key',
    label: 'Create an API key',
    words: ['server', 'publishable'],
    needs: 'developer',
  },
] as const

export const companyActions = [
  {
    to: '/c/$companyId/apps',
    open: 'create-app',
    label: 'Create an app',
    words: ['new', 'product'],
    needs: 'developer',
  },
  {
    to: '/c/$companyId/team',
    open: 'invite',
    label: 'Invite a person',
    words: ['member', 'team'],
    needs: 'owner',
  },
  {
    to: '/c/$companyId/settings',
    open: 'erase',
    label: 'Erase a recipient',
    words: ['forget', 'privacy', 'delete'],
    needs: 'owner',
  },
] as const

export const operatorActions = [
  { to: '/operator/companies', open: 'create-company', label: 'Create a company', words: ['tenant', 'new'] },
] as const
