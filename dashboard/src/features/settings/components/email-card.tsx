import type { AppAnswer } from '@countersign/contract'
import { settingLabels } from '#lib/setting-labels.ts'
import { ChoiceCard } from './choice-card.tsx'

const options = [
  { value: 'limit', label: 'Limit them', text: 'They may get half as many codes as other recipients.' },
  { value: 'refuse', label: 'Refuse them', text: 'A send to one is refused as an invalid recipient.' },
  { value: 'allow', label: 'Treat them like any other', text: 'No difference is made.' },
] as const

export const EmailCard = ({ app }: { readonly app: AppAnswer }) => (
  <ChoiceCard
    app={app}
    name="disposable_email"
    title={settingLabels.disposable_email}
    description="Some services hand out addresses that last an hour, for signing up anonymously."
    label="What to do with them"
    options={options}
    says="Email settings saved"
  />
)
