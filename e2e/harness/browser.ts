/** A real Chromium for tests, driven by Playwright. */
import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { chromium, type Page } from 'playwright-core'
import { findChromium, type Program } from './chromium.ts'
import { Shared } from './shared.ts'

const starter = fileURLToPath(new URL('chromium-like-others.sh', import.meta.url))
/** Far more than anything takes, because the machine may be busy. */
const patienceMs = 240_000

export interface Browser {
  /** A new page that shares no cookies and no storage with another. */
  readonly newPage: (looks?: Looks) => Promise<Page>
  /** Also closes every page. */
  readonly close: () => Promise<void>
}

export interface Looks {
  readonly width?: number
  readonly height?: number
  readonly colorScheme?: 'light' | 'dark'
  /** Emulates a phone. */
  readonly hasTouch?: boolean
}

export async function openBrowser(program?: Program): Promise<Browser> {
  const { path, environment } = program ?? (await findChromium())
  const browser = await chromium.launch({
    executablePath: starter,
    env: {
      ...environment,
      CHROMIUM_PROGRAM: path,
      // Chromium keeps shared memory in files in its temporary folder, many for every page.
      TMPDIR: process.env.FOLDER_FOR_DATABASES ?? tmpdir(),
    },
    // Chromium's sandbox does not start as root, and it opens only our own pages.
    chromiumSandbox: false,
  })
  return {
    newPage: async ({ width = 1_280, height = 800, colorScheme = 'light', hasTouch = false } = {}) => {
      const page = await browser.newPage({
        viewport: { width, height },
        colorScheme,
        hasTouch,
        isMobile: hasTouch,
        // No animations, so that nothing moves while a test looks at it.
        reducedMotion: 'reduce',
        locale: 'en-GB',
        timezoneId: 'UTC',
      })
      page.setDefaultTimeout(patienceMs)
      return page
    },
    close: () => browser.close(),
  }
}

const shared = new Shared<Browser>({ open: () => openBrowser(), close: (browser) => browser.close() })

/** One browser for all files of a process. With `isNeeded` false none has to be installed. */
export const useBrowser = (isNeeded = true): (() => Browser) =>
  isNeeded ? shared.use() : () => assert.fail('no browser was opened')
