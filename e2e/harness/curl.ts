/**
 * The part of curl that the documents use, so that running them needs only Node. Any other option is an error. This
 * process makes the calls, because starting Node for each would take longer than the rest of a page.
 */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { chmod, open, readFile, writeFile } from 'node:fs/promises'
import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs, promisify } from 'node:util'

/** A person reads the phone once the message has arrived, so an empty list of messages is read again until then. */
const patienceMs = 30_000
const pauseMs = 100

async function curl(args: string[]): Promise<string> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      silent: { type: 'boolean', short: 's' },
      request: { type: 'string', short: 'X' },
      header: { type: 'string', short: 'H', multiple: true, default: [] },
      data: { type: 'string', short: 'd' },
    },
  })
  const [url] = positionals
  if (positionals.length !== 1 || url === undefined) throw new Error(`one address, not ${positionals.length}`)
  const { data, header, request: method = data === undefined ? 'GET' : 'POST' } = values
  const headers: OutgoingHttpHeaders =
    data === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }
  for (const line of header) {
    const [name = '', ...rest] = line.split(':')
    headers[name.trim().toLowerCase()] = rest.join(':').trim()
  }
  const ask = async () => {
    const asked = request(url, { method, headers }).end(data)
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    return text(answer)
  }
  const giveUpAt = Date.now() + patienceMs
  let answer = await ask()
  while (url.includes('/messages?to=') && answer.trim() === '[]' && Date.now() < giveUpAt) {
    await sleep(pauseMs)
    answer = await ask()
  }
  return answer
}

/** Puts a program named curl into the folder. It passes its arguments to this process, and prints the answer. */
export async function offerCurl(folder: string): Promise<{ readonly close: () => Promise<void> }> {
  const [words, answers] = [join(folder, 'curl.words'), join(folder, 'curl.answers')]
  await promisify(execFile)('mkfifo', [words, answers])
  const script = `#!/bin/sh
printf '%s\\0' "$@" >"${words}"
{ read -r code; cat; } <"${answers}"
exit "$code"
`
  await writeFile(join(folder, 'curl'), script)
  await chmod(join(folder, 'curl'), 0o755)
  const serving = serve(words, answers)
  return {
    close: async () => {
      // A call without arguments ends the loop.
      await (await open(words, 'w')).close()
      await serving
    },
  }
}

async function serve(words: string, answers: string): Promise<void> {
  for (;;) {
    const args = (await readFile(words, 'utf8')).split('\0').slice(0, -1)
    if (args.length === 0) return
    const answer = await curl(args).then(
      (body) => `0\n${body}`,
      (error: unknown) => `1\n${error}\n`,
    )
    await writeFile(answers, answer)
  }
}
