// A real browser for tests; where none starts, they are left out and say so.
import { afterEach, test as jestTest } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { launchChromium } from '../../../../scripts/lab/chromium.ts'

export interface Chromium {
  browser: Browser
  /** `test` of jest; where no browser starts, one that leaves out each test and says why in its name. */
  test(name: string, fact: () => Promise<void>, timeout_ms?: number): void
  close(): Promise<void>
}

export async function openChromium(): Promise<Chromium> {
  try {
    const browser = await launchChromium()
    // Each test opens contexts of its own: a page that one test left behind could make the next one fail.
    afterEach(() => Promise.all(browser.contexts().map((context) => context.close())))
    return {
      browser,
      test: (name, fact, timeout_ms) => jestTest(name, fact, timeout_ms),
      close: () => browser.close(),
    }
  } catch (error) {
    const [why = ''] = String(error).split('\n')
    return {
      // Nobody asks for it: hooks of tests that are left out do not run.
      browser: undefined as unknown as Browser,
      test: (name, fact) => jestTest.skip(`${name} (left out, no Chromium starts here: ${why})`, fact),
      close: async () => {},
    }
  }
}
