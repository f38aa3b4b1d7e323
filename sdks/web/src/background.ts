/** What goes on while a person looks at a waiting screen: the countdown, asking for news, reading the SMS. */
import { onReturn, readCodeFromSms } from './platform.ts'

const secondMs = 1_000
const firstLookMs = 2_000
const longestLookMs = 10_000
const lookGrowth = 1.3

export interface Watch {
  /** Called each second. */
  readonly tick: () => void
  /** Asks the service for the status. */
  readonly look: () => Promise<unknown>
  /** The earliest useful time to ask, by this device's clock. */
  readonly lookNotBeforeMs: () => number
  readonly readsSms: boolean
  readonly onCode: (code: string) => void
}

export interface Watching {
  /** Called when the person is about to act, to ask often again. */
  readonly hurry: () => void
  readonly stop: () => void
}

export function startWatching(watch: Watch): Watching {
  const controller = new AbortController()
  const ticking = setInterval(watch.tick, secondMs)
  let lookMs = firstLookMs
  let timer = plan()

  function plan() {
    const delayMs = Math.max(lookMs, watch.lookNotBeforeMs() - Date.now())
    return setTimeout(async () => {
      // An answer since then may have postponed it.
      if (watch.lookNotBeforeMs() <= Date.now()) {
        lookMs = Math.min(lookMs * lookGrowth, longestLookMs)
        await watch.look()
      }
      replan()
    }, delayMs)
  }
  function replan() {
    clearTimeout(timer)
    if (!controller.signal.aborted) timer = plan()
  }
  function hurry() {
    lookMs = firstLookMs
    replan()
  }
  const forget = onReturn(() => {
    watch.tick()
    void watch.look()
    hurry()
  })
  if (watch.readsSms)
    void readCodeFromSms(controller.signal).then(
      (code) => code && !controller.signal.aborted && watch.onCode(code),
    )
  return {
    hurry,
    stop: () => {
      controller.abort()
      clearInterval(ticking)
      clearTimeout(timer)
      forget()
    },
  }
}
