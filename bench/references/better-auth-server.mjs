/** A better-auth server with its phone-number plugin, set up as documented. Codes go to the parent process. */
import { createServer } from 'node:http'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { toNodeHandler } from 'better-auth/node'
import { phoneNumber } from 'better-auth/plugins'
import pg from 'pg'

const { DATABASE_URL, SECRET } = process.env
const options = {
  baseURL: 'http://127.0.0.1',
  secret: SECRET,
  database: new pg.Pool({ connectionString: DATABASE_URL, max: 20 }),
  rateLimit: { enabled: false },
  logger: { disabled: true },
  telemetry: { enabled: false },
  plugins: [
    phoneNumber({
      sendOTP: ({ phoneNumber: to, code }) => process.send({ to, code }),
      signUpOnVerification: {
        getTempEmail: (to) => `${to.slice(1)}@example.com`,
        getTempName: (to) => to,
      },
    }),
  ],
}

const { runMigrations } = await getMigrations(options)
await runMigrations()
const handler = toNodeHandler(betterAuth(options))
const server = createServer(handler)
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
process.on('disconnect', () => process.exit(0))
