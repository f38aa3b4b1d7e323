import type { AppAnswer } from '@countersign/contract'
import { ChoiceField, NumberField } from '#components/form/fields.tsx'
import { FormCard } from '#components/form/form-card.tsx'
import { useMayChangeApp } from '#lib/app.ts'
import { givenNumber } from '#lib/form/typed.ts'
import { useSettingsForm } from '#lib/form/use-settings-form.ts'
import { settingLabels } from '#lib/setting-labels.ts'

const percent = (share: number) => Math.round(share * 100)
const shareOf = (typed: number | null) => givenNumber(typed) / 100

/** Whether the accounts of a channel are chosen by fixed priority or by what has been learnt. */
export function AccountChoice({ app }: { readonly app: AppAnswer }) {
  const permission = useMayChangeApp(app.app_id)
  const { accounts, learned } = app.routing
  const form = useSettingsForm(app, {
    initial: {
      routing: { accounts, learned: { floor: percent(learned.floor), trying: percent(learned.trying) } },
    } as {
      routing: { accounts: typeof accounts; learned: { floor: number | null; trying: number | null } }
    },
    change: ({ routing }) => ({
      routing: {
        // An app that follows the installation's choice goes on doing so, unless its own is changed.
        ...(app.accounts_inherited && routing.accounts === accounts ? {} : { accounts: routing.accounts }),
        learned: { floor: shareOf(routing.learned.floor), trying: shareOf(routing.learned.trying) },
      },
    }),
    says: 'The choice of accounts is saved',
    refreshes: ['getRoutes'],
    reword: ({ path, message }) => ({
      path,
      message: path.startsWith('routing.learned.')
        ? (ranges[path.slice('routing.learned.'.length)] ?? message)
        : message,
    }),
  })
  return (
    <FormCard
      form={form}
      title="Accounts"
      description={`Which account of a channel carries a message, if there are several. The order of channels stays as it is.${
        app.accounts_inherited ? ' This app follows the installation.' : ''
      }`}
      permission={permission}
    >
      <ChoiceField
        form={form}
        name="routing.accounts"
        label={settingLabels['routing.accounts']}
        options={[
          { value: 'priority', label: 'By priority', text: 'The first that can take the message.' },
          {
            value: 'learned',
            label: 'Learned',
            text: 'The one whose approvals cost least in that country, judged by your own messages.',
          },
        ]}
        className="sm:grid-cols-2"
      />
      {form.values.routing.accounts === 'learned' && (
        <div className="grid items-start gap-x-4 gap-y-3 sm:grid-cols-2">
          <NumberField
            form={form}
            name="routing.learned.floor"
            label={settingLabels['routing.learned.floor']}
            unit="%"
            hint="All accounts together must reach at least this share of the best account’s approvals."
          />
          <NumberField
            form={form}
            name="routing.learned.trying"
            label={settingLabels['routing.learned.trying']}
            unit="%"
            hint="At most this share of messages goes through other accounts, only to learn about them."
          />
        </div>
      )}
    </FormCard>
  )
}

const ranges: Readonly<Record<string, string>> = {
  floor: 'must be from 50 to 100',
  trying: 'must be from 1 to 30',
}
