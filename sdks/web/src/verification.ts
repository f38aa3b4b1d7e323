/** One person proving one recipient. The phases are drawn in state.ts. */
import { createApi } from './api.ts'
import { createAttemptKeys } from './attempt-keys.ts'
import { startWatching, type Watching } from './background.ts'
import { isLost } from './call.ts'
import { CountersignError } from './errors.ts'
import { afterError, afterLook, afterSend, afterVerify, type Change } from './learn.ts'
import { connectionOf, type VerificationOptions } from './options.ts'
import { openInBrowser } from './platform.ts'
import { type Channel, idle, type VerificationState } from './state.ts'
import { createStore } from './store.ts'
import { createTimes } from './times.ts'
import { digitsOf, localeOf, recipientOf } from './written.ts'

/**
 * Methods resolve with the state that they lead to. What the service refuses is `error` in that state, not a
 * rejection. A call that makes no sense in the current phase, such as a second click, changes nothing.
 */
export interface Verification {
  readonly getState: () => VerificationState
  /**
   * Calls back after every change until the returned function is called. The countdown, the waiting for an
   * inbound approval and the reading of the SMS go on only while somebody listens.
   */
  readonly subscribe: (listener: () => void) => () => void
  /**
   * Sends a code. The recipient may be as people write it (`+44 7400 123456`), the locale as the device says it
   * (`en_US@posix`). Starting again for the same recipient after a lost answer does not send twice.
   */
  readonly start: (recipient: string, options?: { locale?: string | undefined }) => Promise<VerificationState>
  /** Goes on with a verification that your backend has started, or that a reload has interrupted. */
  readonly resume: (otpId: string) => Promise<VerificationState>
  /** Sends again on the next channel of the app's order, or on this one. */
  readonly resend: (options?: { channel?: Channel | undefined }) => Promise<VerificationState>
  /** Checks a code. May be called again after a lost answer: a right code gets the same token. */
  readonly verify: (code: string) => Promise<VerificationState>
  /** Opens `actionUrl`. Call it in a click, or the browser takes it for a pop-up. */
  readonly openWhatsApp: () => void
  /** Asks the service at once, such as when a React Native app comes back to the front. */
  readonly refresh: () => Promise<VerificationState>
  readonly reset: () => void
}

interface Running {
  readonly name: string
  readonly done: Promise<VerificationState>
  /** What the caller waits for: `done`, and for some a look at what it led to. */
  readonly result: Promise<VerificationState>
}

export function createVerification(options: VerificationOptions): Verification {
  const api = createApi(connectionOf(options))
  const openUrl = options.openUrl ?? openInBrowser
  const store = createStore<VerificationState>(idle)
  const times = createTimes()
  const keys = createAttemptKeys()
  let running: Running | null = null
  /** Grows with every action: an answer to a question from before it is no longer news. */
  let era = 0
  /** The code of a verify whose answer was lost: should it be right, only it brings the token. */
  let lostCode: string | null = null
  let watching: Watching | null = null

  function change(changes: Change): void {
    const state = { ...store.get(), ...changes }
    const { phase } = state
    // The watch depends on the channel, and an action between two waits may change it.
    if (phase !== 'waiting') stopWatching()
    store.set(state)
    if (phase === 'waiting') watchIfSomebodyListens()
  }

  /** The same action again, as by a second click, joins the first. */
  function act(name: string, work: () => Promise<Change>, thenLook = false): Promise<VerificationState> {
    if (running?.name === name) return running.result
    const mine = ++era
    lostCode = null
    const perform = async () => {
      try {
        const changes = await work().catch(changesOfError)
        if (mine === era) change(changes)
      } finally {
        if (mine === era) running = null
      }
      return store.get()
    }
    const done = perform()
    running = { name, done, result: thenLook ? done.then(look) : done }
    return running.result
  }

  function changesOfError(error: unknown): Change {
    if (!(error instanceof CountersignError)) throw error
    const { type, retryAfter } = error
    if (type === 'ResendCooldownError' && retryAfter) times.coolDown(retryAfter)
    return { ...afterError(error, store.get()), resendIn: times.secondsToResend() }
  }

  async function ask(otpId: string, retries: boolean): Promise<Change> {
    const { body, clockSkewMs } = await api.status(otpId, retries)
    times.learn(body, clockSkewMs)
    return { ...afterLook(body), resendIn: times.secondsToResend() }
  }

  /** What an action did not tell, and what has happened since. It fails quietly: the next look may not. */
  async function look(): Promise<VerificationState> {
    const { otpId, phase } = store.get()
    if (otpId === null || phase !== 'waiting') return store.get()
    const mine = era
    const changes = await ask(otpId, false).catch(changesOfBlindLook)
    if (mine !== era) return store.get()
    if (changes.phase === 'verified' && lostCode !== null) return verify(lostCode)
    change(changes)
    return store.get()
  }

  function changesOfBlindLook(error: unknown): Change {
    if (!(error instanceof CountersignError)) throw error
    if (error.status === 401 || error.status === 404) return { phase: 'failed', error }
    // Never to have learnt the cooldown must not forbid a resend: the service will say when it is too early.
    return store.get().expiresAt === null ? { resendIn: times.secondsToResend() ?? 0 } : {}
  }

  function watchIfSomebodyListens(): void {
    const { phase, channel } = store.get()
    if (watching || phase !== 'waiting' || !store.hasListeners()) return
    watching = startWatching({
      tick: () => {
        const resendIn = times.secondsToResend()
        if (resendIn !== null && resendIn !== store.get().resendIn) change({ resendIn })
      },
      look,
      // A code comes by the person's own hand: only its end is worth asking about.
      lookNotBeforeMs: () => (store.get().completion === 'inbound' ? 0 : times.expiresAtMs()),
      readsSms: channel === 'sms' && options.autofill !== false,
      onCode: (code) => {
        change({ code })
        void verify(code)
      },
    })
  }

  function stopWatching(): void {
    watching?.stop()
    watching = null
  }

  function start(written: string, { locale }: { locale?: string | undefined } = {}) {
    const recipient = recipientOf(written)
    const send = async () => {
      change({ ...idle, phase: 'sending' })
      const { body } = await api.send(recipient, localeOf(locale), keys.keyFor(recipient))
      keys.settle()
      times.forget()
      return afterSend(body)
    }
    return act(`start ${recipient}`, send, true)
  }

  function resume(otpId: string) {
    return act(`resume ${otpId}`, () => {
      change({ ...idle, phase: 'sending' })
      return ask(otpId, true)
    })
  }

  async function resend({ channel }: { channel?: Channel | undefined } = {}) {
    const { otpId, phase } = store.get()
    if (otpId === null || phase !== 'waiting') return store.get()
    const sendAgain = async () => {
      change({ phase: 'sending', isCodeWrong: false, error: null })
      const { body } = await api.resend(otpId, channel)
      times.forget()
      return afterSend(body)
    }
    // The look comes also after a lost answer: whether it went out shows in what is there now.
    return act('resend', sendAgain, true)
  }

  async function verify(code: string): Promise<VerificationState> {
    if (store.get().phase === 'sending') await running?.done
    const { otpId, phase } = store.get()
    if (phase === 'verifying' && running) return running.result
    if (otpId === null || phase !== 'waiting') return store.get()
    return act('verify', async () => {
      change({ phase: 'verifying', isCodeWrong: false, error: null })
      try {
        return afterVerify((await api.verify(otpId, digitsOf(code))).body)
      } catch (error) {
        if (isLost(error) && store.get().otpId === otpId) lostCode = code
        throw error
      }
    })
  }

  return {
    getState: store.get,
    subscribe: (listener) => {
      const unsubscribe = store.subscribe(listener)
      watchIfSomebodyListens()
      return () => {
        unsubscribe()
        if (!store.hasListeners()) stopWatching()
      }
    },
    start,
    resume,
    resend,
    verify,
    openWhatsApp: () => {
      const { actionUrl } = store.get()
      if (actionUrl === null) return
      openUrl(actionUrl)
      watching?.hurry()
    },
    refresh: look,
    reset: () => {
      era++
      running = null
      change(idle)
    },
  }
}
