/** The public URL, called from outside: whether it leads here, through the proxy and the name that providers use. */
import { z } from 'zod'
import { whyUnanswered } from '../reach.ts'
import { type Check, type Finding, fault, ok, type Patient, warning } from './finding.ts'

const answerMs = 8_000
const name = 'public address'
const jwks = z.object({ keys: z.array(z.object({ kid: z.string() })) })

export const checkAddress: Check = async (patient) => {
  const { publicUrl } = patient.config
  const host = new URL(publicUrl).hostname
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(host)
  const answering = await findWhoAnswers(patient, publicUrl)
  if (answering.status === 'fault') return [answering]
  if (!isLocal) return [answering, ...(await lookAtProxy(publicUrl))]
  // The simulator is on this machine too.
  return patient.config.simulator ? [answering] : [answering, noWayBack(publicUrl)]
}

const noWayBack = (publicUrl: string) =>
  warning(
    name,
    `${publicUrl} is this machine: no provider can call it back.`,
    'Set PUBLIC_URL to the address of your proxy.',
  )

const get = (url: string) =>
  fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(answerMs) }).catch((error: unknown) =>
    whyUnanswered(error),
  )

/** Only this installation publishes its signing keys, so a server that shows them is one of its processes. */
async function findWhoAnswers({ database }: Patient, publicUrl: string): Promise<Finding> {
  const answered = await get(`${publicUrl}/.well-known/jwks.json`)
  if (typeof answered === 'string')
    return fault(
      name,
      `${publicUrl}: ${answered}.`,
      'Is the service running, and does PUBLIC_URL name your proxy? Look at its name, port and certificate.',
    )
  if (answered.status >= 300 && answered.status < 400)
    return fault(
      name,
      `${publicUrl} leads to another address.`,
      `Set PUBLIC_URL to where it leads: providers follow no redirects.`,
    )
  const shown = jwks.safeParse(await answered.json().catch(() => null))
  if (answered.status !== 200 || !shown.success)
    return fault(
      name,
      `What answers at ${publicUrl} is not Countersign (status ${answered.status}).`,
      'Let the proxy pass /hooks, /api/v1 and /.well-known to the service.',
    )
  const own = await database.query<{ kid: string }>({ text: 'select kid from signing_keys' })
  const kids = new Set(own.rows.map(({ kid }) => kid))
  return shown.data.keys.some(({ kid }) => kids.has(kid))
    ? ok(name, `${publicUrl} leads here.`)
    : fault(
        name,
        `Another installation answers at ${publicUrl}.`,
        'Set PUBLIC_URL to this one, or let the proxy lead to it.',
      )
}

/** What the proxy lets through, and whether it encrypts. */
async function lookAtProxy(publicUrl: string): Promise<Finding[]> {
  const [hooks, metrics] = await Promise.all([get(`${publicUrl}/hooks/doctor`), get(`${publicUrl}/metrics`)])
  const isHook = typeof hooks !== 'string' && hooks.headers.has('x-request-id')
  return [
    publicUrl.startsWith('https:')
      ? ok(name, 'It is https.')
      : warning(
          name,
          'It is http: receipts and keys are not encrypted on their way.',
          'Put TLS in front, and https into PUBLIC_URL.',
        ),
    isHook
      ? ok(name, 'Callbacks of providers come through.')
      : fault(
          name,
          '/hooks does not come through, so no receipt arrives.',
          'Let the proxy pass /hooks to the service.',
        ),
    ...(typeof metrics !== 'string' && metrics.status === 200
      ? [
          warning(
            name,
            '/metrics can be read by everybody.',
            'Set METRICS_TOKEN, or block /metrics at the proxy.',
          ),
        ]
      : []),
  ]
}
