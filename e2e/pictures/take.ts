/** Takes the pictures of docs/ in a browser, against a service of its own. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openBrowser } from '../harness/browser.ts'
import { makeDataDir, removeDataDir, start } from '../harness/process.ts'
import { addPast } from './past.ts'
import { type Story, settled, tellStory } from './story.ts'

const folder = fileURLToPath(new URL('../../docs', import.meta.url))
const size = { width: 1_040, height: 680 }

interface Picture {
  readonly file: string
  readonly path: (story: Story) => string
  /** A text that is on the page once it is ready. */
  readonly shows: string
  readonly choose?: string
  /** The heading to scroll to. */
  readonly from?: string
}

const pictures: readonly Picture[] = [
  { file: 'dashboard.png', path: ({ appId }) => `/a/${appId}/overview`, shows: 'Conversion' },
  { file: 'pictures/operator.png', path: () => '/operator/home', shows: 'Provider health' },
  {
    file: 'pictures/guard.png',
    path: ({ appId }) => `/a/${appId}/guard`,
    shows: 'Debt over time',
    choose: '3 hours',
    from: 'Debt over time',
  },
  {
    file: 'pictures/support.png',
    path: ({ appId, otpId }) => `/a/${appId}/verifications/${otpId}`,
    shows: 'Timeline',
  },
  { file: 'pictures/developer.png', path: ({ appId }) => `/a/${appId}/start`, shows: 'Send a code' },
]

await mkdir(join(folder, 'pictures'), { recursive: true })
const dataDir = await makeDataDir()
const running = await start({ dataDir })
const browser = await openBrowser()
try {
  const story = await tellStory(running)
  await addPast(running, story)
  const page = await browser.newPage(size)
  const [link] = /http:\/\/localhost\S+#token=\w+/.exec(running.output()) ?? []
  if (!link) throw new Error('the start printed no link')
  await page.goto(link)
  await settled(page)
  for (const { file, path, shows, choose, from } of pictures) {
    await page.goto(`http://localhost:${running.ports.http}/dashboard${path(story)}`)
    await page.getByText(shows).first().waitFor()
    if (choose) await page.getByRole('radio', { name: choose }).click()
    await settled(page)
    if (from)
      await page.evaluate(
        `[...document.querySelectorAll('h2')].find((one) => one.textContent === '${from}')?.scrollIntoView()`,
      )
    await page.screenshot({ path: join(folder, file), animations: 'disabled' })
    console.log(`docs/${file}`)
  }
} finally {
  await browser.close()
  await running.stop()
  await removeDataDir(dataDir)
}
