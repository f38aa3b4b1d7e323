import type { AppAnswer } from '@countersign/contract'
import { settingLabels } from '#lib/setting-labels.ts'
import { ChoiceCard } from './choice-card.tsx'

const options = [
  {
    value: 'e164',
    label: 'Any number in E.164 form',
    text: 'A plus sign, 8 to 15 digits and a calling code that exists. Allows fictional numbers, for trying things out.',
  },
  {
    value: 'possible',
    label: 'Numbers of a possible length',
    text: 'The country has numbers of that length.',
  },
  {
    value: 'valid',
    label: 'Numbers in the numbering plan',
    text: 'Recommended once you pay real carriers: a message to a number that nobody can have costs as much as any other.',
  },
] as const

export const NumberCard = ({ app }: { readonly app: AppAnswer }) => (
  <ChoiceCard
    app={app}
    name="number_check"
    title={settingLabels.number_check}
    description="Which numbers codes are sent to. Premium-rate, toll-free and shared-cost numbers are always refused."
    label="Which numbers are accepted"
    options={options}
    says="Phone number check saved"
  />
)
