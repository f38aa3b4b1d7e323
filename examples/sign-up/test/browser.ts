/** An installed Chromium, driven over its DevTools protocol: https://chromedevtools.github.io/devtools-protocol */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WebSocket } from 'undici'
import { eventually } from '../../../e2e/harness/wait.ts'

const names = [process.env.CHROMIUM, 'chromium', 'chromium-browser', 'google-chrome'].filter((name) => name)

export function findBrowser(): string | undefined {
  return names.find((name) => spawnSync('which', [String(name)]).status === 0)
}

type Result = Readonly<Record<string, unknown>>
type Send = (method: string, params?: Result, sessionId?: string) => Promise<Result>

export interface Page {
  readonly open: (url: string) => Promise<void>
  /** The value of an expression in the page. */
  readonly read: <Value>(expression: string) => Promise<Value>
  readonly until: (expression: string) => Promise<void>
  readonly type: (selector: string, text: string) => Promise<void>
  readonly press: (key: 'Enter' | 'Tab') => Promise<void>
  readonly click: (selector: string) => Promise<void>
  readonly look: (looks: { width?: number; isDark?: boolean }) => Promise<void>
  /** Into the folder that SCREENSHOTS names, if it does. */
  readonly picture: (name: string) => Promise<void>
  readonly close: () => Promise<void>
  /** What the page complained about: errors, and what its policy blocked. */
  readonly complaints: string[]
}

export interface Browser {
  readonly newPage: () => Promise<Page>
  readonly close: () => Promise<void>
}

export async function startBrowser(program: string): Promise<Browser> {
  const profile = await mkdtemp(join(tmpdir(), 'countersign-browser-'))
  const flags = [
    '--headless=new',
    '--no-sandbox',
    '--disable-gpu',
    '--remote-debugging-port=0',
    '--no-first-run',
  ]
  const child = spawn(program, [...flags, `--user-data-dir=${profile}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const socket = new WebSocket(await addressOf(child))
  await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }))
  const listeners = new Set<(method: string, params: Result, sessionId: string | undefined) => void>()
  const send = senderOn(socket, listeners)
  return {
    newPage: () => openPage(send, listeners),
    close: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      await send('Browser.close')
      await ended
      await rm(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      const found = /DevTools listening on (ws:\S+)/.exec(printed)?.[1]
      if (found) resolve(found)
    })
    child.once('exit', () => reject(new Error(`the browser ended:\n${printed}`)))
  })
}

type Listeners = Set<(method: string, params: Result, sessionId: string | undefined) => void>

function senderOn(socket: WebSocket, listeners: Listeners): Send {
  const waiting = new Map<number, (message: { result?: Result; error?: { message: string } }) => void>()
  let next = 1
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data))
    if (message.id === undefined)
      for (const tell of listeners) tell(message.method, message.params, message.sessionId)
    else waiting.get(message.id)?.(message)
  })
  return (method, params = {}, sessionId) =>
    new Promise((resolve, reject) => {
      const id = next++
      waiting.set(id, ({ result = {}, error }) => {
        waiting.delete(id)
        if (error) reject(new Error(`${method}: ${error.message}`))
        else resolve(result)
      })
      socket.send(JSON.stringify({ id, method, params, ...(sessionId ? { sessionId } : {}) }))
    })
}

async function openPage(sendToBrowser: Send, listeners: Listeners): Promise<Page> {
  const { browserContextId } = await sendToBrowser('Target.createBrowserContext')
  const { targetId } = await sendToBrowser('Target.createTarget', { url: 'about:blank', browserContextId })
  const { sessionId } = await sendToBrowser('Target.attachToTarget', { targetId, flatten: true })
  assert.ok(typeof sessionId === 'string')
  const send = (method: string, params?: Result) => sendToBrowser(method, params, sessionId)
  const complaints: string[] = []
  listeners.add((method, params, from) => {
    if (from !== sessionId) return
    if (method === 'Runtime.exceptionThrown' || method === 'Log.entryAdded')
      complaints.push(JSON.stringify(params))
  })
  await Promise.all(['Page', 'Runtime', 'Log'].map((domain) => send(`${domain}.enable`)))

  const read = async <Value>(expression: string): Promise<Value> => {
    const answer = { expression, returnByValue: true, awaitPromise: true, userGesture: true }
    const { result, exceptionDetails } = await send('Runtime.evaluate', answer)
    assert.equal(exceptionDetails, undefined, `${expression}: ${JSON.stringify(exceptionDetails)}`)
    return (result as { value: Value }).value
  }
  const until = async (expression: string) => {
    await eventually(expression, () => read<boolean>(`Boolean(${expression})`).catch(() => false), Boolean)
  }
  const quoted = (selector: string) => JSON.stringify(selector)
  const press = async (key: 'Enter' | 'Tab') => {
    const codes = { Enter: 13, Tab: 9 }
    const event = {
      key,
      code: key,
      windowsVirtualKeyCode: codes[key],
      ...(key === 'Enter' ? { text: '\r' } : {}),
    }
    await send('Input.dispatchKeyEvent', { type: 'keyDown', ...event })
    await send('Input.dispatchKeyEvent', { type: 'keyUp', ...event })
  }
  return {
    complaints,
    open: async (url) => {
      await send('Page.navigate', { url })
      await until(`location.href.startsWith(${quoted(url)}) && document.readyState === 'complete'`)
    },
    read,
    until,
    press,
    type: async (selector, text) => {
      await read(`(document.querySelector(${quoted(selector)}).focus(), document.activeElement.select())`)
      await send('Input.insertText', { text })
    },
    click: async (selector) => {
      await until(`document.querySelector(${quoted(selector)})?.disabled === false`)
      await read(`document.querySelector(${quoted(selector)}).click()`)
    },
    look: async ({ width = 1_100, isDark = false }) => {
      const size = { width, height: 820, deviceScaleFactor: 2, mobile: width < 500 }
      await send('Emulation.setDeviceMetricsOverride', size)
      const features = [{ name: 'prefers-color-scheme', value: isDark ? 'dark' : 'light' }]
      await send('Emulation.setEmulatedMedia', { features })
    },
    picture: async (name) => {
      if (!process.env.SCREENSHOTS) return
      const { data } = await send('Page.captureScreenshot', { format: 'png' })
      await writeFile(join(process.env.SCREENSHOTS, `${name}.png`), Buffer.from(String(data), 'base64'))
    },
    close: async () => {
      await sendToBrowser('Target.disposeBrowserContext', { browserContextId })
    },
  }
}
