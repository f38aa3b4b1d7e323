/** `send` and `verify`: call the API from outside, as a customer's backend does. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import {
  AwayError,
  type Commands,
  exits,
  type Options,
  type Outside,
  type Printed,
  UsageError,
} from './command.ts'
import { whyUnanswered } from './reach.ts'

const answerMs = 15_000
const apiPath = '/api/v1'
const isKeyText = /^otp_[ps]k_\w+$/
/** The part of the file of the first app that is needed here. */
const firstApp = z.object({ server_key: z.string() })
const errorBody = z.object({ error: z.object({ type: z.string(), message: z.string() }) })

async function keyOf({ config, environment }: Outside, { key }: Options): Promise<string> {
  const said = key ?? environment.COUNTERSIGN_KEY?.trim()
  if (said && !isKeyText.test(said))
    throw new UsageError(
      `${key === undefined ? 'COUNTERSIGN_KEY' : '--key'} is otp_sk_ or otp_pk_, then letters and digits, without quotes. Copy it once more.`,
    )
  if (said) return said
  const { dataDir, databaseUrl } = config()
  // The keys of an earlier sandbox in this folder must not be sent to another service.
  const isTrial = databaseUrl === null
  const text = isTrial ? await readFile(join(dataDir, 'first-app.json'), 'utf8').catch(() => null) : null
  const found = text === null ? null : firstApp.safeParse(JSON.parse(text))
  if (found?.success) return found.data.server_key
  throw new UsageError('Say the key of an app: COUNTERSIGN_KEY=otp_sk_…, or --key.')
}

const urlOf = ({ config, environment }: Outside, { url }: Options): string => {
  const said = url ?? (environment.COUNTERSIGN_URL?.trim() || `http://127.0.0.1:${config().port}`)
  if (!URL.canParse(said) || !/^https?:/i.test(said))
    throw new UsageError(
      `${url === undefined ? 'COUNTERSIGN_URL' : '--url'} is an address such as https://otp.example.com`,
    )
  const base = said.replace(/\/$/, '')
  // URLs of calls contain this path, so it is easily copied along.
  return base.endsWith(apiPath) ? base.slice(0, -apiPath.length) : base
}

interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

async function call(
  outside: Outside,
  options: Options,
  path: string,
  body: Readonly<Record<string, unknown>>,
): Promise<Answer> {
  const [url, key] = [urlOf(outside, options), await keyOf(outside, options)]
  const answered = await fetch(`${url}${apiPath}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(answerMs),
  }).catch((error: unknown) => {
    throw new AwayError(`${url}: ${whyUnanswered(error)}. Is the service running there? See --url.`)
  })
  const read: unknown = await answered.json().catch(() => null)
  if (read === null || typeof read !== 'object')
    throw new AwayError(`What answers at ${url} is not Countersign (status ${answered.status}).`)
  return { status: answered.status, body: { ...read } }
}

/** Prints a refusal in the service's own words. */
function refused({ status, body }: Answer): Printed {
  const parsed = errorBody.safeParse(body)
  const { type, message } = parsed.success ? parsed.data.error : { type: 'Error', message: 'It failed.' }
  return { text: `${status} ${type}: ${message}`, data: body, exit: status === 503 ? exits.away : exits.no }
}

const reach = {
  key: 'a key of the app; better in COUNTERSIGN_KEY, where nobody sees it',
  url: 'the address of the service; this machine’s PORT if it is not said',
} as const

export const callCommands: Commands = {
  send: {
    needs: 'nothing',
    words: ['RECIPIENT'],
    summary: 'start a verification, as a backend does',
    details: [
      'A real message goes out, and costs what one costs. In the sandbox the first app’s key is used.',
    ],
    options: { ...reach, ip: 'the person’s address, as client_ip', locale: 'the language, such as en' },
    run: async (outside, [recipient], options) => {
      if (!recipient) throw new UsageError('Say a phone number (+447400123456) or an email address.')
      const answer = await call(outside, options, '/otp/send', {
        recipient,
        ...(options.ip ? { client_ip: options.ip } : {}),
        ...(options.locale ? { locale: options.locale } : {}),
      })
      if (answer.status !== 200) return refused(answer)
      const { otp_id, channel, masked_recipient, action_url } = answer.body
      const link = typeof action_url === 'string' ? `\nThe person opens ${action_url}` : ''
      return { text: `${otp_id}  ${channel} to ${masked_recipient}${link}`, data: answer.body }
    },
  },
  verify: {
    needs: 'nothing',
    words: ['OTP_ID', 'CODE'],
    summary: 'check a code; exits with 1 where it is wrong',
    options: reach,
    run: async (outside, [otpId, code], options) => {
      if (!otpId || !code) throw new UsageError('Say the verification (otp_…) and the code.')
      const answer = await call(outside, options, '/otp/verify', { otp_id: otpId, code })
      if (answer.status !== 200) return refused(answer)
      const { matched, status, attempts_remaining } = answer.body
      return matched === true
        ? { text: 'right: the verification is approved', data: answer.body }
        : {
            text: `wrong: the verification is ${status}, ${attempts_remaining} ${attempts_remaining === 1 ? 'attempt is' : 'attempts are'} left`,
            data: answer.body,
            exit: exits.no,
          }
    },
  },
}
