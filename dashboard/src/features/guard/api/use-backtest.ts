/** Runs a backtest page by page, and shows what is known so far. */
import type { BacktestAnswer } from '@countersign/contract'
import { useEffect, useRef, useState } from 'react'
import { call } from '#lib/client.ts'
import type { Period } from '#lib/period.ts'
import { addPages, progressOf, rangeOf } from '../lib/backtest.ts'
import type { RuleDraft } from '../lib/rule-values.ts'

export interface Backtest {
  readonly state: 'idle' | 'running' | 'done' | 'failed'
  /** From 0 to 1. */
  readonly progress: number
  readonly answer: BacktestAnswer | null
  readonly error: unknown
}

const idle: Backtest = { state: 'idle', progress: 0, answer: null, error: null }

export function useBacktest(appId: string) {
  const [backtest, setBacktest] = useState(idle)
  const running = useRef<AbortController | null>(null)
  // Once the page is left, no further part is asked for.
  useEffect(() => () => running.current?.abort(), [])

  const stop = () => {
    running.current?.abort()
    setBacktest((before) => ({ ...before, state: before.answer ? 'done' : 'idle' }))
  }

  const run = async (rules: readonly RuleDraft[], period: Period) => {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    const { signal } = controller
    const range = rangeOf(period, Date.now())
    setBacktest({ ...idle, state: 'running' })
    const ask = (cursor: string | null) =>
      call(
        'backtestRules',
        {
          params: { app_id: appId },
          body: { rules: [...rules], ...range, ...(cursor === null ? {} : { cursor }) },
        },
        { signal },
      )
    const show = (answer: BacktestAnswer) =>
      setBacktest({
        state: answer.complete ? 'done' : 'running',
        progress: progressOf(answer, range),
        answer,
        error: null,
      })
    try {
      let answer = await ask(null)
      show(answer)
      while (!answer.complete && !signal.aborted) {
        answer = addPages(answer, await ask(answer.next_cursor))
        show(answer)
      }
    } catch (error) {
      if (!signal.aborted) setBacktest((before) => ({ ...before, state: 'failed', error }))
    }
  }

  return { backtest, run, stop }
}
