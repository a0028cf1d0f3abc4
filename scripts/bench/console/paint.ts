// Measures how soon a real browser shows a page, and how smoothly the page scrolls, by the browser's own clock.
import type { Browser, Page as BrowserPage } from 'playwright-core'
import { launchChromium } from '../../lab/chromium.ts'
import { say } from '../../lab/stage.ts'
import { type Fact, median } from '../support/report.ts'
import type { Page } from './org.ts'

const TIMES = 7
const FIRST_PAINT = { atMost: 300 }
const FRAMES_PER_SEC = { atLeast: 58 }
/** Pixels that each frame scrolls. */
const STEP_PX = 40
const LONGEST_MS = 4000

/** Measures each page: at the first visit, and with the cache of an earlier visit. */
export async function paintFacts(origin: string, pages: readonly Page[]): Promise<Fact[]> {
  const browser = await launchChromium()
  try {
    const facts: Fact[] = []
    for (const page of pages) {
      say(`${page.name} in a browser`)
      facts.push(...(await factsOf(browser, origin, page)))
    }
    return facts
  } finally {
    await browser.close()
  }
}

async function factsOf(browser: Browser, origin: string, { name, path, headers }: Page): Promise<Fact[]> {
  const [fresh, again, rates]: [number[], number[], number[]] = [[], [], []]
  // The first round warms up.
  for (let round = -1; round < TIMES; round++) {
    const context = await browser.newContext({ baseURL: origin, viewport: { width: 1440, height: 900 } })
    const [cookie = '', value = ''] = (headers[0]?.Cookie ?? '').split('=')
    await context.addCookies([{ name: cookie, value, url: origin }])
    const page = await context.newPage()
    const [first, second] = [await firstPaint(page, path), await firstPaint(page, path)]
    const rate = await page.evaluate<number>(SCROLL)
    await context.close()
    if (round < 0) continue
    fresh.push(first)
    again.push(second)
    rates.push(rate)
  }
  return [
    [`${name}: first paint, nothing cached, ms`, median(fresh), 0, FIRST_PAINT],
    [`${name}: first paint, styles and scripts cached, ms`, median(again), 0, FIRST_PAINT],
    [`${name}: frames a second while it scrolls`, median(rates), 1, FRAMES_PER_SEC],
  ]
}

/** Returns the time from the beginning of the navigation to the first text or image. */
async function firstPaint(page: BrowserPage, path: string): Promise<number> {
  await page.goto(path, { waitUntil: 'load' })
  return page.evaluate(
    `new Promise((resolve) => new PerformanceObserver((list) => resolve(list.getEntries()[0].startTime))
      .observe({ type: 'paint', buffered: true }))`,
  )
}

/** Scrolls a page to its end, a step for each frame, and returns the frames a second. */
const SCROLL = `new Promise((resolve) => {
  const end = document.scrollingElement.scrollHeight - innerHeight
  let [began, frames] = [0, 0]
  const frame = (at) => {
    if (began === 0) began = at
    else frames++
    if (scrollY >= end - 1 || at - began > ${LONGEST_MS}) return resolve((frames * 1000) / Math.max(1, at - began))
    scrollBy({ top: ${STEP_PX}, behavior: 'instant' })
    requestAnimationFrame(frame)
  }
  requestAnimationFrame(frame)
})`
