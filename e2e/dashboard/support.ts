/** Visitors of the dashboard: a real browser against the service as its users start it. */
import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, afterEach, beforeEach } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { type Browser, type Looks, useBrowser } from '../harness/browser.ts'
import { withDatabase } from '../harness/database.ts'
import type { RunningService } from '../harness/process.ts'
import { type ServiceUnderTest, useService } from '../harness/service.ts'
import { codeIn } from '../harness/simulator.ts'

/** For people to look at; git ignores this folder. */
const pictures = fileURLToPath(new URL('../../test-results/dashboard', import.meta.url))

export interface Visitor {
  readonly page: Page
  readonly open: (path: string) => Promise<void>
  /** What the browser reported: errors of scripts, and what the content security policy blocked. */
  readonly complaints: readonly string[]
}

export interface DashboardUnderTest {
  readonly service: ServiceUnderTest
  readonly visit: (looks?: Looks) => Promise<Visitor>
  /** Signs in as the operator, with the link that the service printed at its start. */
  readonly signInWithLink: (visitor: Visitor) => Promise<void>
  readonly manage: <Body>(method: string, path: string, body?: unknown) => Promise<Body>
}

/** For tests that run one after the other. */
export function useDashboard(): () => DashboardUnderTest {
  const service = useService()
  const keep = closeInTime()
  const browser = useBrowser()
  return () => dashboardOf(service(), async (looks) => keep(await browser().newPage(looks)))
}

/**
 * An open page keeps polling the service, so it is closed after the test that opened it, or after all tests if it was
 * opened before the first.
 */
function closeInTime(): (page: Page) => Page {
  const ofAll: Page[] = []
  let opened = ofAll
  const close = (pages: readonly Page[]) => Promise.all(pages.map((page) => page.close()))
  beforeEach(() => {
    opened = []
  })
  afterEach(async (test) => {
    const ofTest = opened
    opened = ofAll
    if ('passed' in test && test.passed === false)
      await Promise.all([...ofAll, ...ofTest].map(tellWhatIsShown))
    await close(ofTest)
  })
  after(() => close(ofAll))
  return (page) => {
    opened.push(page)
    return page
  }
}

/** Why a test failed is mostly said on the page. */
async function tellWhatIsShown(page: Page): Promise<void> {
  const said = await page.locator('main, [role="dialog"]').allInnerTexts()
  console.error(`${new URL(page.url()).pathname} showed:\n${said.join('\n')}`)
}

type Cookies = Awaited<ReturnType<ReturnType<Page['context']>['cookies']>>
/** The printed link works once, so later visitors of the same service share the session that it opened. */
const operators = new WeakMap<RunningService, Promise<Cookies>>()

function dashboardOf(service: ServiceUnderTest, newPage: Browser['newPage']): DashboardUnderTest {
  const { running, caller } = service
  // The printed link uses localhost, and a cookie belongs to one host name.
  const base = `http://localhost:${running.ports.http}/dashboard`
  return {
    service,
    visit: async (looks) => {
      const page = await newPage(looks)
      const complaints: string[] = []
      page.on('pageerror', (error) => complaints.push(error.message))
      page.on('console', (message) => {
        // The browser reports the status of a refusal as an error, but a refusal is a valid answer.
        const isRefusal = message.text().startsWith('Failed to load resource')
        if (message.type() === 'error' && !isRefusal) complaints.push(message.text())
      })
      // Chromium does not report a blocked `eval` if the script catches the error, so violations are collected by an
      // event.
      await page.exposeFunction('reportBlocked', (what: string) => complaints.push(`blocked: ${what}`))
      await page.addInitScript(
        `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => reportBlocked(violatedDirective + ' ' + blockedURI))`,
      )
      return { page, complaints, open: async (path) => void (await page.goto(`${base}${path}`)) }
    },
    signInWithLink: async ({ page, open }) => {
      const session = operators.get(running)
      if (!session) {
        const opened = openPrintedLink(running, page)
        operators.set(running, opened)
        await opened
        return
      }
      await page.context().addCookies(await session)
      await open('/')
      await arrive(page)
    },
    manage: async <Body>(method: string, path: string, body?: unknown) => {
      const answer = await caller.call<Body>(method, `/manage/v1${path}`, {
        key: running.adminToken,
        ...(body === undefined ? {} : { body }),
      })
      assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.body)}`)
      return answer.body
    },
  }
}

async function openPrintedLink(running: RunningService, page: Page): Promise<Cookies> {
  const [link] = /http:\/\/localhost\S+#token=\w+/.exec(running.output()) ?? []
  assert.ok(link, 'the start prints a link')
  await page.goto(link)
  await arrive(page)
  await keepSessionFresh(running)
  return page.context().cookies()
}

/** All files share this session, and on a busy machine they take longer than it counts as fresh. */
const keepSessionFresh = (running: RunningService) =>
  withDatabase(running, (client) => client.query(`update sessions set proven_at = now() + interval '1 day'`))

/** Waits for the page after signing in. An app with verifications opens on its overview, others on the first steps. */
export async function arrive(page: Page): Promise<void> {
  await page.waitForURL(/\/dashboard\/(a|c|operator)\//)
  await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' })
}

/** An operator who has signed in, and an app in which nothing has happened. */
export async function visitAsOperator(
  { service, visit, signInWithLink }: DashboardUnderTest,
  looks?: Looks,
): Promise<{ readonly visitor: Visitor; readonly appId: string; readonly companyId: string }> {
  const { appId, companyId } = await service.createApp()
  const visitor = await visit(looks)
  await signInWithLink(visitor)
  return { visitor, appId, companyId }
}

/** Signs in with a code from the simulator's mail server. */
export async function signInByCode(
  { service }: { readonly service: Pick<ServiceUnderTest, 'simulator'> },
  { page, open }: Pick<Visitor, 'page' | 'open'>,
  email: string,
): Promise<void> {
  await open('/sign-in')
  const earlier = (await service.simulator.messages(email, 'email')).length
  await page.getByLabel('Email address').fill(email)
  await page.getByRole('button', { name: 'Send a code' }).click()
  const { text } = await service.simulator.arrived(email, 'email', earlier + 1)
  await page.getByLabel('Code').fill(codeIn(text, 8))
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** A customer's endpoint that can be told to fail. */
export async function openReceiver() {
  const ids: string[] = []
  let status = 200
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { id } = JSON.parse(Buffer.concat(chunks).toString()) as { id: string }
      if (status === 200) ids.push(id)
      response.writeHead(status).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`,
    /** Ids of the events that it accepted. */
    ids,
    answerWith: (next: number) => {
      status = next
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}

/** Only if PICTURES is set: screenshots are for people, and take as long as all checks of a page. */
export async function takePicture(page: Page, name: string): Promise<void> {
  if (!process.env.PICTURES) return
  await mkdir(pictures, { recursive: true })
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true, animations: 'disabled' })
}
