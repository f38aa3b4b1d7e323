/** One person proving one recipient. The phases are drawn in state.ts. */
import { type Api, createApi } from './api.ts'
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
 * Methods resolve with the state that they lead to. An error of the service is `error` in that state, not a rejection. A
 * call that makes no sense in the current phase, such as a second click, changes nothing.
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
  /** Continues a verification that your backend has started, or that a reload has interrupted. */
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
  /** What the caller waits for: `done`, and for some actions the status after it. */
  readonly result: Promise<VerificationState>
}

export const createVerification = (options: VerificationOptions): Verification => new Flow(options)

class Flow implements Verification {
  readonly #api: Api
  readonly #openUrl: (url: string) => unknown
  readonly #autofills: boolean
  readonly #store = createStore<VerificationState>(idle)
  /** Made anew by every start, resume and resend: a late answer to an earlier question is not about this one. */
  #times = createTimes()
  readonly #keys = createAttemptKeys()
  #running: Running | null = null
  /** Increased by every action: an answer to an earlier question is out of date. */
  #era = 0
  /** The code of a verify whose answer was lost: if it was right, only the same code gets the token. */
  #lostCode: string | null = null
  #watching: Watching | null = null

  constructor(options: VerificationOptions) {
    this.#api = createApi(connectionOf(options))
    this.#openUrl = options.openUrl ?? openInBrowser
    this.#autofills = options.autofill !== false
  }

  readonly getState = this.#store.get

  readonly subscribe = (listener: () => void) => {
    const unsubscribe = this.#store.subscribe(listener)
    this.#watchIfSomebodyListens()
    return () => {
      unsubscribe()
      if (!this.#store.hasListeners()) this.#stopWatching()
    }
  }

  readonly start = (written: string, { locale }: { locale?: string | undefined } = {}) => {
    const recipient = recipientOf(written)
    const send = async () => {
      this.#change({ ...idle, phase: 'sending' })
      const { body } = await this.#api.send(recipient, localeOf(locale), this.#keys.keyFor(recipient))
      this.#keys.settle()
      this.#times = createTimes()
      return afterSend(body)
    }
    return this.#act(`start ${recipient}`, send, true)
  }

  readonly resume = (otpId: string) =>
    this.#act(`resume ${otpId}`, () => {
      this.#change({ ...idle, phase: 'sending' })
      this.#times = createTimes()
      return this.#ask(otpId, true)
    })

  readonly resend = async ({ channel }: { channel?: Channel | undefined } = {}) => {
    const { otpId, phase } = this.getState()
    if (otpId === null || phase !== 'waiting') return this.getState()
    const sendAgain = async () => {
      this.#change({ phase: 'sending', isCodeWrong: false, error: null })
      const { body } = await this.#api.resend(otpId, channel)
      this.#times = createTimes()
      return afterSend(body)
    }
    // The status is asked for even after a lost answer, since it shows whether the message was sent.
    return this.#act('resend', sendAgain, true)
  }

  readonly verify = async (code: string): Promise<VerificationState> => {
    // Before the phase changes: what is no text is thrown back, and the person may try again.
    const digits = digitsOf(code)
    if (this.getState().phase === 'sending') await this.#running?.done
    const { otpId, phase } = this.getState()
    if (phase === 'verifying' && this.#running) return this.#running.result
    if (otpId === null || phase !== 'waiting') return this.getState()
    return this.#act('verify', async () => {
      this.#change({ phase: 'verifying', isCodeWrong: false, error: null })
      try {
        return afterVerify((await this.#api.verify(otpId, digits)).body)
      } catch (error) {
        if (isLost(error) && this.getState().otpId === otpId) this.#lostCode = code
        throw error
      }
    })
  }

  readonly openWhatsApp = () => {
    const { actionUrl } = this.getState()
    if (actionUrl === null) return
    this.#openUrl(actionUrl)
    this.#watching?.hurry()
  }

  /** Asks for the status, which an action may not have told in full. Errors are ignored: the next try may succeed. */
  readonly refresh = async (): Promise<VerificationState> => {
    const { otpId, phase } = this.getState()
    if (otpId === null || phase !== 'waiting') return this.getState()
    const era = this.#era
    const changes = await this.#ask(otpId, false).catch((error: unknown) => this.#afterBlindLook(error))
    if (era !== this.#era) return this.getState()
    if (changes.phase === 'verified' && this.#lostCode !== null) return this.verify(this.#lostCode)
    this.#change(changes)
    return this.getState()
  }

  readonly reset = () => {
    this.#era++
    this.#running = null
    this.#change(idle)
  }

  #change(changes: Change): void {
    const state = { ...this.getState(), ...changes }
    const { phase } = state
    // The watch depends on the channel, and an action between two waits may change it.
    if (phase !== 'waiting') this.#stopWatching()
    this.#store.set(state)
    if (phase === 'waiting') this.#watchIfSomebodyListens()
  }

  /** The same action again, such as a second click, gets the result of the first. */
  #act(name: string, work: () => Promise<Change>, thenLook = false): Promise<VerificationState> {
    if (this.#running?.name === name) return this.#running.result
    this.#lostCode = null
    const done = this.#perform(work, ++this.#era)
    this.#running = { name, done, result: thenLook ? done.then(this.refresh) : done }
    return this.#running.result
  }

  async #perform(work: () => Promise<Change>, era: number): Promise<VerificationState> {
    try {
      const changes = await work().catch((error: unknown) => this.#afterError(error))
      if (era === this.#era) this.#change(changes)
    } finally {
      if (era === this.#era) this.#running = null
    }
    return this.getState()
  }

  #afterError(error: unknown): Change {
    if (!(error instanceof CountersignError)) throw error
    const { type, retryAfter } = error
    if (type === 'ResendCooldownError' && retryAfter) this.#times.coolDown(retryAfter)
    return { ...afterError(error, this.getState()), resendIn: this.#times.secondsToResend() }
  }

  async #ask(otpId: string, retries: boolean): Promise<Change> {
    const times = this.#times
    const { body, clockSkewMs } = await this.#api.status(otpId, retries)
    times.learn(body, clockSkewMs)
    return { ...afterLook(body), resendIn: times.secondsToResend() }
  }

  #afterBlindLook(error: unknown): Change {
    if (!(error instanceof CountersignError)) throw error
    if (error.status === 401 || error.status === 404) return { phase: 'failed', error }
    // If the cooldown is not known, a resend is allowed: the service says if it is too early.
    return this.getState().expiresAt === null ? { resendIn: this.#times.secondsToResend() ?? 0 } : {}
  }

  #watchIfSomebodyListens(): void {
    const { phase, channel } = this.getState()
    if (this.#watching || phase !== 'waiting' || !this.#store.hasListeners()) return
    this.#watching = startWatching({
      tick: () => {
        const resendIn = this.#times.secondsToResend()
        if (resendIn !== null && resendIn !== this.getState().resendIn) this.#change({ resendIn })
      },
      look: this.refresh,
      // A code is typed by the person, so only its expiry is worth asking about.
      lookNotBeforeMs: () => (this.getState().completion === 'inbound' ? 0 : this.#times.expiresAtMs()),
      readsSms: channel === 'sms' && this.#autofills,
      onCode: (code) => {
        this.#change({ code })
        void this.verify(code)
      },
    })
  }

  #stopWatching(): void {
    this.#watching?.stop()
    this.#watching = null
  }
}
