import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { Problem } from '#components/ui/problem.tsx'
import { Segmented } from '#components/ui/segmented.tsx'
import { formatWholeShare } from '#lib/format.ts'
import { type Period, periodLabels, periods } from '#lib/period.ts'
import { type Backtest, useBacktest } from '../api/use-backtest.ts'
import type { RuleDraft } from '../lib/rule-values.ts'
import { BacktestFigures } from './rule-backtest-figures.tsx'

interface BacktestCardProps {
  readonly appId: string
  /** The rules as they are on the page, saved or not. */
  readonly rules: readonly RuleDraft[]
}

const options = periods.map((period) => [period, periodLabels[period]] as const)

export function BacktestCard({ appId, rules }: BacktestCardProps) {
  const [period, setPeriod] = useState<Period>('7d')
  const { backtest, run, stop } = useBacktest(appId)
  const isRunning = backtest.state === 'running'
  const hasRules = rules.some(({ mode }) => mode !== 'off')
  return (
    <Card
      title="Backtest"
      description="What the rules above, saved or not, would have done with recorded sends. Rules in shadow count as if they were on."
      actions={
        <>
          <Segmented label="Period" value={period} options={options} onChange={setPeriod} />
          {isRunning ? (
            <Button onClick={stop}>Stop</Button>
          ) : (
            <Button
              onClick={() => void run(rules, period)}
              disabledReason={hasRules ? undefined : 'No rule is on or in shadow.'}
            >
              Run the backtest
            </Button>
          )}
        </>
      }
    >
      <Progress backtest={backtest} />
      {backtest.state === 'failed' && (
        <Problem
          error={backtest.error}
          title="The backtest stopped"
          onRetry={() => void run(rules, period)}
          className="mb-3 border-0 px-0"
        />
      )}
      {backtest.answer ? (
        <BacktestFigures appId={appId} answer={backtest.answer} />
      ) : (
        !isRunning && <p className="text-sm text-muted">It changes nothing and sends nothing.</p>
      )}
    </Card>
  )
}

function Progress({ backtest: { state, progress } }: { readonly backtest: Backtest }) {
  if (state !== 'running') return <div role="status" className="sr-only" />
  const text = formatWholeShare(progress)
  return (
    <div role="status" className="mb-3 flex items-center gap-3 text-sm text-muted">
      <progress
        aria-label="Progress of the backtest"
        value={progress}
        max={1}
        className="h-1.5 w-40 accent-accent"
      >
        {text}
      </progress>
      {text} of the period
    </div>
  )
}
