import { FormCard } from '#components/ui/form-card.tsx'
import { useApp, useMayChangeApp } from '#lib/app.ts'
import { useForm } from '#lib/use-form.ts'
import { useSettingsChange } from '#lib/use-settings-change.ts'
import {
  isSame,
  type LimitName,
  type LimitRow,
  limitWords,
  rowProblem,
  rowsOf,
  windowsOf,
} from '../limit-rows.ts'
import { LimitFields } from './limit-fields.tsx'

type Rows = Readonly<Record<`limits.${LimitName}`, readonly LimitRow[]>>

const initialRows = (limits: Readonly<Record<LimitName, Parameters<typeof rowsOf>[0]>>): Rows => ({
  'limits.recipient': rowsOf(limits.recipient),
  'limits.recipient_failures': rowsOf(limits.recipient_failures),
  'limits.ip': rowsOf(limits.ip),
  'limits.flagged_ip': rowsOf(limits.flagged_ip),
  'limits.app_without_ip': rowsOf(limits.app_without_ip),
  'limits.app': rowsOf(limits.app),
})

export function LimitsCard({ appId }: { readonly appId: string }) {
  const { limits } = useApp(appId)
  const permission = useMayChangeApp(appId)
  const change = useSettingsChange(appId, { says: 'The limits are changed.', problems: 'form' })
  const form = useForm({
    initial: initialRows(limits),
    check: (values) =>
      Object.fromEntries(
        limitWords.map((words) => [
          `limits.${words.name}`,
          values[`limits.${words.name}`].map((row) => rowProblem(row, words)).find(Boolean),
        ]),
      ),
    // Only what differs: a limit that is named is also held against its wider sister.
    submit: (values) =>
      change({
        limits: Object.fromEntries(
          limitWords
            .filter(({ name }) => !isSame(values[`limits.${name}`], rowsOf(limits[name])))
            .map(({ name }) => [name, windowsOf(values[`limits.${name}`])]),
        ),
      }),
  })
  return (
    <FormCard
      form={form}
      permission={permission}
      fields={limitWords.map(({ name }) => `limits.${name}`)}
      title="Limits"
      description="Each has one to four windows, and a send must fit all of them. What is refused can be tried again when Retry-After says."
    >
      <div className="-mx-4 border-t">
        {limitWords.map((words) => (
          <LimitFields
            key={words.name}
            words={words}
            rows={form.values[`limits.${words.name}`]}
            onChange={(rows) => form.set(`limits.${words.name}`, rows)}
            problem={inLabels(form.problem(`limits.${words.name}`))}
            isFixed={!permission.may}
          />
        ))}
      </div>
    </FormCard>
  )
}

/** The service names a limit's wider sister by its name in the API. */
const inLabels = (problem: string | undefined) =>
  problem?.replace(/limits\.(\w+)/, (all, name: string) => {
    const words = limitWords.find((one) => one.name === name)
    return words ? `“${words.label}”` : all
  })
