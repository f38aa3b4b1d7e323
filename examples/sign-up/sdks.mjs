/** The two packages out of this repository, built if they are not. Yours come from npm. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const sdks = new URL('../../sdks/', import.meta.url)
const nodeSdkFile = new URL('node/dist/esm/index.js', sdks)
export const webSdkFile = new URL('web/dist/esm/index.js', sdks)

for (const file of [nodeSdkFile, webSdkFile]) {
  if (existsSync(file)) continue
  const script = fileURLToPath(new URL('../../build.mjs', file))
  const { status } = spawnSync(process.execPath, [script], { stdio: 'inherit' })
  if (status !== 0) process.exit(1)
}

export const { Countersign, CountersignError, WebhookVerificationError, webhooks } = await import(nodeSdkFile)
