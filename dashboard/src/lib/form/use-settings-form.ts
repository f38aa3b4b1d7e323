/** A form for some of an app's settings: merged into the current ones and checked as the service does it. */
import type { AppAnswer, FieldProblem } from '@countersign/contract'
import { appName, appSettings, changedSettings } from '@countersign/contract/bodies'
import type { FieldValues } from 'react-hook-form'
import type { ManageOperation } from '../client.ts'
import { type SettingsChange, useSettingsChange } from '../use-settings-change.ts'
import { against } from './problems.ts'
import { type Form, useForm } from './use-form.ts'

interface SettingsFormOptions<Values extends FieldValues> {
  readonly initial: Values
  /** Only what differs, so that the audit trail shows what was changed. */
  readonly change: (values: Values) => SettingsChange
  readonly says: string
  /** Operations whose answers depend on these settings and are read again. */
  readonly refreshes?: readonly ManageOperation[]
  readonly reword?: (problem: FieldProblem, values: Values) => FieldProblem
  readonly onDone?: () => void
}

export function useSettingsForm<Values extends FieldValues>(
  app: AppAnswer,
  { initial, change, says, refreshes = [], reword, onDone }: SettingsFormOptions<Values>,
): Form<Values> {
  const save = useSettingsChange(app.app_id, { says, refreshes, problems: 'form' })
  return useForm({
    initial,
    isStored: true,
    body: change,
    check: (body) => settingsProblems(app, body),
    submit: async (body) => {
      await save(body)
      onDone?.()
    },
    ...(reword ? { reword } : {}),
  })
}

const nameProblems = against(appName)

/** Without ids, times and the name, which are not settings. */
const settingsOf = (app: AppAnswer): object =>
  Object.fromEntries(Object.entries(app).filter(([name]) => name in appSettings.shape))

function settingsProblems(app: AppAnswer, change: SettingsChange): readonly FieldProblem[] {
  const { name, ...requested } = change
  return [
    ...(name === undefined ? [] : nameProblems(name).map((problem) => ({ ...problem, path: 'name' }))),
    ...changedSettings(settingsOf(app), requested).problems,
  ]
}
