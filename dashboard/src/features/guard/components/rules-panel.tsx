import { putRulesBody } from '@countersign/contract/bodies'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import ListFilter from 'lucide-react/icons/list-filter'
import Plus from 'lucide-react/icons/plus'
import { useState } from 'react'
import { FormCard } from '#components/form/form-card.tsx'
import { Button } from '#components/ui/button.tsx'
import { Empty } from '#components/ui/empty.tsx'
import { FieldProblem } from '#components/ui/field.tsx'
import { Notice } from '#components/ui/notice.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { ruleBounds } from '#contract'
import { ApiError } from '#lib/api-error.ts'
import { useMayChangeApp } from '#lib/app.ts'
import type { AnswerOf } from '#lib/client.ts'
import { against, sayProblem } from '#lib/form/problems.ts'
import { useField } from '#lib/form/use-field.ts'
import { useForm } from '#lib/form/use-form.ts'
import { usePutRules } from '../api/put-rules.ts'
import { rulesQuery } from '../api/queries.ts'
import { newRule, type RuleDraft } from '../lib/rule-values.ts'
import { BacktestCard } from './rule-backtest-card.tsx'
import { RuleDialog } from './rule-dialog.tsx'
import { RevisionsCard } from './rule-revisions-card.tsx'
import { RuleRows } from './rule-rows.tsx'

type RulesInForce = AnswerOf<'getRules'>

/** The app's own rules, edited here and saved as a whole. */
export const RulesPanel = ({ appId }: { readonly appId: string }) => {
  const query = useQuery(rulesQuery(appId))
  return (
    <Loaded query={query} loading={<SkeletonRows rows={4} />}>
      {(rules) => <Revision key={appId} appId={appId} first={rules} />}
    </Loaded>
  )
}

/** Keeps the revision that was read first, so that a later read does not replace what is being edited. */
function Revision({ appId, first }: { readonly appId: string; readonly first: RulesInForce }) {
  const [base, setBase] = useState(first)
  return <Rules key={base.revision} appId={appId} base={base} onBase={setBase} />
}

interface RulesProps {
  readonly appId: string
  readonly base: RulesInForce
  readonly onBase: (base: RulesInForce) => void
}

function Rules({ appId, base, onBase }: RulesProps) {
  const permission = useMayChangeApp(appId)
  const client = useQueryClient()
  const [edited, setEdited] = useState<number | null>(null)
  const put = usePutRules('Rules saved')
  const form = useForm<{ rules: RuleDraft[] }, { revision: number; rules: RuleDraft[] }>({
    initial: { rules: base.rules },
    body: ({ rules }) => ({ revision: base.revision, rules }),
    check: against(putRulesBody),
    submit: async (body) => onBase(await put.mutateAsync({ params: { app_id: appId }, body })),
  })
  const { value: rules, set: change, problem } = useField(form, 'rules')
  const apply = (draft: RuleDraft) =>
    change(edited === null ? rules : [...rules.slice(0, edited), draft, ...rules.slice(edited + 1)])
  const error = form.refusal?.error
  const isConflict = error instanceof ApiError && error.type === 'ConflictError'
  const readAnew = async () => onBase(await client.fetchQuery({ ...rulesQuery(appId), staleTime: 0 }))
  const add = (
    <Button
      size="sm"
      onClick={() => setEdited(rules.length)}
      disabledReason={
        permission.reason ??
        (rules.length >= ruleBounds.rules ? `An app has at most ${ruleBounds.rules} rules.` : undefined)
      }
    >
      <Plus aria-hidden="true" />
      Add a rule
    </Button>
  )
  return (
    <div className="flex flex-col gap-5">
      <FormCard
        form={form}
        permission={permission}
        title="Your own rules"
        description="Checked from the top down, on every send and resend. Begin in shadow: the decision of each send then says what the rule would have done."
        actions={rules.length > 0 && add}
      >
        {rules.length === 0 ? (
          <Empty title="No rules yet" icon={<ListFilter />} action={add}>
            A rule says what happens to a send that meets its conditions: refuse it, hold it, limit it, move
            it to other channels, or let it pass.
          </Empty>
        ) : (
          <RuleRows rules={rules} onChange={change} onEdit={setEdited} isFixed={!permission.may} />
        )}
        <FieldProblem text={problem && sayProblem('The rules', problem)} />
        {isConflict && (
          <Notice
            tone="warn"
            title="Somebody else has changed the rules"
            actions={<Button onClick={() => void readAnew()}>Show theirs</Button>}
          >
            <p>Yours are not saved. Showing theirs discards what you changed here.</p>
          </Notice>
        )}
      </FormCard>
      <BacktestCard appId={appId} rules={rules} />
      <RevisionsCard appId={appId} isChanged={form.isChanged} onRestored={onBase} />
      <RuleDialog
        appId={appId}
        draft={edited === null ? null : (rules[edited] ?? newRule())}
        onApply={apply}
        onClose={() => setEdited(null)}
      />
    </div>
  )
}
