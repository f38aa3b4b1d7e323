/** A real Chromium for tests, driven by Playwright. */
import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { chromium, type Page } from 'playwright-core'
import { findChromium, type Program } from './chromium.ts'
import { Shared } from './shared.ts'

/** Far more than anything takes, because other programs may have the processor. */
const patienceMs = 240_000

export interface Browser {
  /** A page of its own: it shares no cookies and no storage with another. */
  readonly newPage: (looks?: Looks) => Promise<Page>
  /** Closes every page too. */
  readonly close: () => Promise<void>
}

export interface Looks {
  readonly width?: number
  readonly height?: number
  readonly colorScheme?: 'light' | 'dark'
  /** As on a phone. */
  readonly hasTouch?: boolean
}

export async function openBrowser(program?: Program): Promise<Browser> {
  const { path, environment } = program ?? (await findChromium())
  const browser = await chromium.launch({
    executablePath: path,
    // It shares memory by files in its folder for temporary ones, many for every page.
    env: { ...environment, TMPDIR: process.env.FOLDER_FOR_DATABASES ?? tmpdir() },
    // Its sandbox does not start as root, and it meets only pages of ours.
    chromiumSandbox: false,
  })
  return {
    newPage: async ({ width = 1_280, height = 800, colorScheme = 'light', hasTouch = false } = {}) => {
      const page = await browser.newPage({
        viewport: { width, height },
        colorScheme,
        hasTouch,
        isMobile: hasTouch,
        // Without animations, so that what a test looks at stands still.
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

/** One browser for all files of a process. Where it is not needed, none has to be installed. */
export const useBrowser = (isNeeded = true): (() => Browser) =>
  isNeeded ? shared.use() : () => assert.fail('no browser was opened')
