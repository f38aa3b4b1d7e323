/** The people and carriers that the simulator plays: what people received, what they write, how carriers behave. */
import { eventually } from './wait.ts'

export type Channel = 'sms' | 'whatsapp' | 'telegram' | 'email'
export const phoneChannels = ['sms', 'whatsapp', 'telegram'] as const
export const channels = [...phoneChannels, 'email'] as const

export type Outcome =
  | 'deliver'
  | 'fail'
  | 'reject'
  | 'unreachable'
  | 'silent'
  | 'error'
  | 'throttle'
  | 'duplicate'

interface Message {
  readonly id: string
  readonly channel: Channel
  readonly to: string
  readonly from: string
  readonly text: string
  readonly received_at: string
  readonly subject?: string
  readonly html?: string
}

export interface Simulator {
  readonly messages: (to: string, channel?: Channel) => Promise<Message[]>
  /** The newest message, once at least `count` have arrived. */
  readonly arrived: (to: string, channel: Channel, count?: number) => Promise<Message>
  readonly behave: (to: string, channel: Channel, outcome: Outcome, delayMs?: number) => Promise<void>
  readonly clearBehaviour: () => Promise<void>
  /** Writes a WhatsApp message as a person; resolves when the service has accepted it. */
  readonly write: (from: string | null, to: string, text: string) => Promise<void>
  readonly runHandshake: () => Promise<number>
}

export function simulatorAt(url: string): Simulator {
  const call = async (method: string, path: string, body?: unknown): Promise<Response> => {
    const response = await fetch(`${url}${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
    if (!response.ok)
      throw new Error(`simulator: ${method} ${path}: ${response.status} ${await response.text()}`)
    return response
  }
  const messages = async (to: string, channel?: Channel): Promise<Message[]> => {
    const query = new URLSearchParams({ to, ...(channel ? { channel } : {}) })
    return (await call('GET', `/messages?${query}`)).json() as Promise<Message[]>
  }
  return {
    messages,
    arrived: async (to, channel, count = 1) => {
      const list = await eventually(
        `message ${count} on ${channel}`,
        () => messages(to, channel),
        (found) => found.length >= count,
      )
      const newest = list.at(-1)
      if (!newest) throw new Error('no message')
      return newest
    },
    behave: async (to, channel, outcome, delayMs = 0) => {
      await call('PUT', '/behaviour', { to, channel, outcome, delay_ms: delayMs })
    },
    clearBehaviour: async () => {
      await call('DELETE', '/behaviour')
    },
    write: async (from, to, text) => {
      await call('POST', '/whatsapp/messages', { from, to, text })
    },
    runHandshake: async () => (await call('POST', '/whatsapp/subscription')).status,
  }
}

/** The only run of `length` digits in a text. */
export function codeIn(text: string, length = 6): string {
  const found = text.match(new RegExp(`(?<!\\d)\\d{${length}}(?!\\d)`, 'g')) ?? []
  const [code] = found
  if (code === undefined || new Set(found).size !== 1) throw new Error('the text must have exactly one code')
  return code
}
