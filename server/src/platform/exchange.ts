/**
 * One request and its answer, over undici's dispatcher, because undici's streams would cost as much as everything else.
 * Never rejects. An answer counts as soon as its headers are there, whatever happens to its body.
 */
import type { Dispatcher } from 'undici'
import { afterReading } from './after-reading.ts'

interface ExchangeAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The part of the body that could be read in time, up to `maxBodyBytes`. */
  readonly body: Buffer
  /** Whether the body was read to its end, so that the connection can be used again. */
  readonly isComplete: boolean
}

interface ExchangeFailure {
  /** False only if certainly no byte of the request has left. */
  readonly mayHaveLeft: boolean
  readonly error: Error
}

export type ExchangeEnd = ExchangeAnswer | ExchangeFailure

export interface ExchangeOptions {
  readonly request: Dispatcher.DispatchOptions
  readonly maxBodyBytes: number
  /** The deadline. */
  readonly signal: AbortSignal
}

export const exchange = (dispatcher: Dispatcher, options: ExchangeOptions): Promise<ExchangeEnd> =>
  new Promise((resolve) => new Exchange(options, resolve).start(dispatcher))

class Exchange implements Dispatcher.DispatchHandler {
  readonly #options: ExchangeOptions
  readonly #resolve: (end: ExchangeEnd) => void
  readonly #chunks: Buffer[] = []
  #bodyBytes = 0
  #controller: Dispatcher.DispatchController | null = null
  #head: Pick<ExchangeAnswer, 'status' | 'headers'> | null = null
  #isSettled = false
  #stopLooking: (() => void) | null = null

  constructor(options: ExchangeOptions, resolve: (end: ExchangeEnd) => void) {
    this.#options = options
    this.#resolve = resolve
  }

  start(dispatcher: Dispatcher): void {
    const { request, signal } = this.#options
    if (signal.aborted) {
      this.#fail(tooLate())
      return
    }
    signal.addEventListener('abort', this.#onDeadline)
    try {
      dispatcher.dispatch(request, this)
    } catch (error) {
      this.#fail(error)
    }
  }

  // undici calls this once the connection is open and before the first byte is written.
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#isSettled) controller.abort(tooLate())
    else this.#controller = controller
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: ExchangeAnswer['headers'],
  ): void {
    if (status >= 200) this.#head = { status, headers }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const room = this.#options.maxBodyBytes - this.#bodyBytes
    this.#chunks.push(Buffer.from(chunk.subarray(0, room)))
    this.#bodyBytes += Math.min(chunk.length, room)
    if (chunk.length > room) controller.abort(new Error('the answer is too large'))
  }

  onResponseEnd(): void {
    this.#end(noHead, true)
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#end(() => error, false)
  }

  /** Nothing leaves after the deadline; an answer that has arrived by then still counts. */
  readonly #onDeadline = (): void => {
    const controller = this.#controller
    if (controller === null) {
      this.#end(tooLate, false)
      return
    }
    this.#stopLooking = afterReading(() => {
      this.#end(tooLate, false)
      controller.abort(tooLate())
    })
  }

  /** Takes a function, because creating an error with its stack costs more than everything else here. */
  #end(makeError: () => Error, isComplete: boolean): void {
    if (this.#head === null) this.#fail(makeError())
    else this.#settle({ ...this.#head, body: this.#read(), isComplete })
  }

  #read(): Buffer {
    const [first, ...more] = this.#chunks
    return first && more.length === 0 ? first : Buffer.concat(this.#chunks)
  }

  #fail(error: unknown): void {
    this.#settle({
      mayHaveLeft: this.#controller !== null,
      error: error instanceof Error ? error : new Error('the call failed'),
    })
  }

  #settle(end: ExchangeEnd): void {
    if (this.#isSettled) return
    this.#isSettled = true
    this.#options.signal.removeEventListener('abort', this.#onDeadline)
    this.#stopLooking?.()
    this.#resolve(end)
  }
}

const noHead = () => new Error('the answer has no head')
const tooLate = () => Object.assign(new Error('the deadline is over'), { code: 'deadline' })
