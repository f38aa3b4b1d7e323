/** Two nodes that send alerts to a receiver, and how to make time pass for them. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createTenant, type Tenant } from './harness/fixtures.ts'
import { startTwoNodeService } from './harness/service.ts'

interface Posted {
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly raw: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads bodies of every shape
  readonly body: any
}

export async function startAlerts() {
  const { database, nodes, close } = await startTwoNodeService()
  const [node] = nodes
  const posted: Posted[] = []
  let answer = 200
  let hanging: { readonly path: string; readonly answers: (() => void)[] } | null = null
  const receiver = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const raw = Buffer.concat(chunks).toString()
      posted.push({ path: request.url ?? '', headers: request.headers, raw, body: JSON.parse(raw) })
      const respond = () => {
        response.statusCode = answer
        response.end()
      }
      if (hanging !== null && request.url === hanging.path) hanging.answers.push(respond)
      else respond()
    })
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))

  const hook = (path: string) => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}${path}`
  const to = (path: string) => posted.filter((post) => post.path === path)
  const put = (companyId: string, body: object) => node.manage('PUT', `/companies/${companyId}/alerts`, body)
  /** Moves all times of an owner back, as if this much time had passed. */
  const later = async (owner: string, seconds: number) => {
    const by = `- interval '${seconds} seconds'`
    await database.query(`update alert_settings set next_at = next_at ${by} where company_id = $1`, [owner])
    await database.query(`update alert_states set seen_at = seen_at ${by} where company_id = $1`, [owner])
    // Not alerts that are being sent: their sender would seem to have died, and another node would send them again.
    await database.query(
      `update alert_notices set next_attempt_at = next_attempt_at ${by} where company_id = $1 and attempt = 0`,
      [owner],
    )
  }
  const pauseEndpoint = ({ companyId, appId }: Tenant, isPaused: boolean) =>
    isPaused
      ? database.query(
          `insert into webhook_endpoints (company_id, app_id, endpoint_id, url, secret, status, paused_at, reason)
           values ($1, $2, 'whe_' || $2, 'http://127.0.0.1:9/', 'x', 'paused', now(), 'it fails')`,
          [companyId, appId],
        )
      : database.query('delete from webhook_endpoints where company_id = $1 and app_id = $2', [
          companyId,
          appId,
        ])
  const fresh = () => createTenant(node, {}, { metered: false })
  const answerWith = (status: number) => {
    answer = status
  }
  /** What comes to this path is not answered before `release`; what comes later to it waits for the next one. */
  const hang = (path: string) => {
    const answers: (() => void)[] = []
    hanging = { path, answers }
    return {
      release: () => {
        for (const respond of answers.splice(0)) respond()
      },
    }
  }
  return {
    hang,
    database,
    nodes,
    hook,
    to,
    put,
    later,
    pauseEndpoint,
    fresh,
    answerWith,
    close: async () => {
      await close()
      receiver.close()
    },
  }
}
