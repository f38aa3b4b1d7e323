/** Keys and addresses: those of the sandbox that `npm start` runs, unless the environment sets others. */
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const { env } = process
const port = Number(env.EXAMPLE_PORT ?? 4000)
const baseUrl = (env.COUNTERSIGN_URL ?? 'http://localhost:3000').replace(/\/+$/, '')
const dataDir = resolve(env.DATA_DIR ?? fileURLToPath(new URL('../../.data', import.meta.url)))

const given = {
  serverKey: env.COUNTERSIGN_KEY,
  publishableKey: env.COUNTERSIGN_PUBLISHABLE_KEY,
  webhookSecret: env.COUNTERSIGN_WEBHOOK_SECRET,
}
// Before anything is changed: an example that already runs would no longer know the secret that signs its webhooks.
await canListen().catch(({ code }) =>
  stop(`Port ${port} cannot be used (${code}). EXAMPLE_PORT names another.`),
)
const { serverKey, publishableKey, webhookSecret } = given.serverKey ? given : await ofSandbox()
const phonesUrl = env.PHONES_URL ?? (given.serverKey ? null : 'http://localhost:3001')

export const settings = {
  port,
  baseUrl,
  serverKey,
  webhookSecret,
  forPage: { key: publishableKey, baseUrl, phonesUrl },
  greeting: `Sign up at http://localhost:${port}
${phonesUrl ? `Codes arrive at ${phonesUrl}` : 'Codes arrive where your app sends them'}
Ctrl-C stops it.`,
}

/** The keys of the sandbox's first app, whose webhooks are set to come here. */
async function ofSandbox() {
  const [app, token] = await Promise.all([
    readFile(`${dataDir}/first-app.json`, 'utf8').then(JSON.parse),
    readFile(`${dataDir}/admin-token`, 'utf8'),
  ]).catch(() => stop('Start the service first, with npm start in the folder of the repository.'))
  const manage = async (method, path, body) => {
    const response = await fetch(`${baseUrl}/manage/v1/apps/${app.app_id}${path}`, {
      method,
      headers: { authorization: `Bearer ${token.trim()}`, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    }).catch(() => stop(`Nothing answers at ${baseUrl}. Start the service first, with npm start.`))
    if (response.status === 404 && method === 'GET') return {}
    if (!response.ok) stop(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }
  const { url: earlier, status } = await manage('GET', '/webhook')
  if (earlier && !/^http:\/\/127\.0\.0\.1:\d+\/webhooks$/.test(earlier))
    stop(`The first app sends its webhooks to ${earlier}; this example leaves it alone.`)
  const { signing_secret: shownOnce } = await manage('PUT', '/webhook', {
    url: `http://127.0.0.1:${port}/webhooks`,
  })
  // The service paused the endpoint because this example was away for too long.
  if (status === 'paused') await manage('POST', '/webhook/enable', {})
  // The secret is shown when the endpoint is new; after that, only rotating it shows one.
  const { signing_secret: rotated } = shownOnce ? {} : await manage('POST', '/webhook/rotate-secret', {})
  return {
    serverKey: app.server_key,
    publishableKey: app.publishable_key,
    webhookSecret: shownOnce ?? rotated,
  }
}

function canListen() {
  return new Promise((done, fail) => {
    const server = createServer().once('error', fail)
    server.listen(port, '127.0.0.1', () => server.close(done))
  })
}

function stop(message) {
  console.error(message)
  process.exit(1)
}
