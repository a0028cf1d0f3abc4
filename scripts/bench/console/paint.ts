// How soon a real browser shows a page, and how smoothly it scrolls: measured by the browser itself.
import type { Browser, Page } from 'playwright-core'
import { launchChromium } from '../../lab/chromium.ts'
import { say } from '../../lab/stage.ts'
import { type Fact, median } from '../support/report.ts'

export interface PaintedPage {
  name: string
  path: string
  headers: readonly Readonly<Record<string, string>>[]
}

const TIMES = 7
const FIRST_PAINT_MS = 300
const FRAMES_A_SEC = 58
/** Pixels a frame: a page of 6,000 px in less than three seconds. */
const STEP_PX = 40
const LONGEST_MS = 4_000
/** At 60 a second a frame takes 16.7 ms: one that takes longer than this was late. */
const LATE_MS = 25

/** The figures of each page: nothing cached, and with what the page before it left in the cache. */
export async function paintFacts(origin: string, pages: readonly PaintedPage[]): Promise<Fact[]> {
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

async function factsOf(browser: Browser, origin: string, asked: PaintedPage): Promise<Fact[]> {
  const [fresh, again, scrolls]: [number[], number[], Scroll[]] = [[], [], []]
  // The first round is for warming up.
  for (let n = -1; n < TIMES; n++) {
    const context = await browser.newContext({ baseURL: origin, viewport: { width: 1440, height: 900 } })
    const [name = '', value = ''] = (asked.headers[0]?.Cookie ?? '').split('=')
    await context.addCookies([{ name, value, url: origin }])
    const page = await context.newPage()
    const [first, second] = [await firstPaint(page, asked.path), await firstPaint(page, asked.path)]
    const scrolled = await scroll(page)
    await context.close()
    if (n < 0) continue
    fresh.push(first)
    again.push(second)
    scrolls.push(scrolled)
  }
  const middle = scrolls.toSorted((a, b) => a.rate - b.rate)[Math.floor(TIMES / 2)] as Scroll
  const { name } = asked
  return [
    { what: `${name}: first paint, nothing cached, ms`, value: median(fresh), digits: 0, atMost: FIRST_PAINT_MS },
    {
      what: `${name}: first paint, styles and scripts cached, ms`,
      value: median(again),
      digits: 0,
      atMost: FIRST_PAINT_MS,
    },
    {
      what: `${name}: ${middle.px} px scrolled, frames a second`,
      value: middle.rate,
      digits: 1,
      atLeast: FRAMES_A_SEC,
    },
    { what: `${name}: of its frames, share that came late`, value: middle.late, digits: 3 },
  ]
}

/** From the beginning of the navigation to the first text or image, by the browser's own clock. */
async function firstPaint(page: Page, path: string): Promise<number> {
  await page.goto(path, { waitUntil: 'load' })
  return page.evaluate(
    `new Promise((resolve) => new PerformanceObserver((list) => resolve(list.getEntries()[0].startTime))
      .observe({ type: 'paint', buffered: true }))`,
  )
}

interface Scroll {
  px: number
  rate: number
  late: number
}

/** Scrolls the page to its end, a step for each frame. */
async function scroll(page: Page): Promise<Scroll> {
  const { px, gaps } = await page.evaluate<{ px: number; gaps: number[] }>(
    `new Promise((resolve) => {
      const gaps = []
      const end = document.scrollingElement.scrollHeight - innerHeight
      let [began, before] = [0, 0]
      const frame = (at) => {
        if (before > 0) gaps.push(at - before)
        else began = at
        before = at
        if (scrollY >= end - 1 || at - began > ${LONGEST_MS}) return resolve({ px: Math.round(scrollY), gaps })
        scrollBy({ top: ${STEP_PX}, behavior: 'instant' })
        requestAnimationFrame(frame)
      }
      requestAnimationFrame(frame)
    })`,
  )
  const total = gaps.reduce((sum, gap) => sum + gap, 0)
  const late = gaps.filter((gap) => gap > LATE_MS).length
  return { px, rate: total === 0 ? 0 : (gaps.length * 1000) / total, late: gaps.length === 0 ? 0 : late / gaps.length }
}
