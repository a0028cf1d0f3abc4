// Somebody at a real browser, who notices what goes wrong beneath the pages.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export interface Visitor {
  context: BrowserContext
  page: Page
  /** What went wrong since it was last asked: errors of the console (which tells of breaches of the policy), foreign requests. */
  trouble(): string[]
  /** Goes to a path; the status it ends with, or `file` when it is one to keep. */
  open(path: string): Promise<number | 'file' | undefined>
  /** Returns the faults that axe finds on this page, one line each. `colours`: only by the rules that a colour scheme can affect. */
  axe(rules?: 'all' | 'colours'): Promise<string[]>
  /** How it lies in the window. By the next frame the page has heard of its size. */
  layout(): Promise<Layout>
  /** The first of that alone. */
  overflow(): Promise<string[]>
  /** Runs `leave`, which leads to another page, and waits until that page has loaded. */
  arrive(leave: () => Promise<unknown>): Promise<void>
  /** Follows the first link of that name. */
  follow(name: string): Promise<void>
  /** Presses the first button of that name, which leads to another page. */
  press(name: string | RegExp): Promise<void>
  /** Loses the session. The open page is left first, because it reloads itself as soon as it learns that its session is over. */
  forgetSession(): Promise<void>
  /** Keeps how the page looks, wide and on a phone, light and dark, if screenshots are asked for. The page then wears the last look. */
  keep(name: string): Promise<void>
  close(): Promise<void>
}

export interface Layout {
  /** What reaches beyond the right edge of the window; empty when nothing does. */
  overflow: string[]
  /** Buttons that one does not see without scrolling sideways. */
  outOfReach: string[]
  /** Tables and other parts that scroll sideways. */
  sideways: string[]
  /** How many primary buttons one sees: a page has one at most. */
  primaries: number
}

export interface Look {
  scheme: 'light' | 'dark'
  width: 1440 | 360
}

export const LOOKS: readonly Look[] = [
  { scheme: 'light', width: 1440 },
  { scheme: 'light', width: 360 },
  { scheme: 'dark', width: 1440 },
  { scheme: 'dark', width: 360 },
]
const SHOTS = [
  { scheme: 'light', width: 1440 },
  { scheme: 'light', width: 390 },
  { scheme: 'dark', width: 390 },
  { scheme: 'dark', width: 1440 },
] as const

// Each question to a page goes through three processes: what is asked of every page is asked at once.

const RULES_OF_COLOURS = ['color-contrast', 'link-in-text-block']
const askAxe = (rules: 'all' | 'colours') => `'axe' in window ? axe.run({
  resultTypes: ['violations'], ${rules === 'colours' ? `runOnly: ${JSON.stringify(RULES_OF_COLOURS)}` : ''}
}).then(({ violations }) => violations.flatMap(
  ({ id, help, nodes }) => nodes.map((node) => id + ': ' + help + ': ' + node.target.join(' ') + ' ' +
    (node.any[0]?.message ?? '')))) : undefined`
export const OVERFLOW = `(() => {
  const { scrollWidth } = document.scrollingElement
  if (scrollWidth <= innerWidth) return []
  const wide = [...document.querySelectorAll('body *')].filter((one) => one.getBoundingClientRect().right > innerWidth)
  return [scrollWidth + ' px wide: ' + wide.slice(0, 5).map((one) => one.outerHTML.slice(0, 120)).join(' | ')]
})()`
const LAYOUT = `new Promise((resolve) => requestAnimationFrame(resolve)).then(() => ({
  overflow: ${OVERFLOW},
  outOfReach: [...document.querySelectorAll('main button')].filter((one) => {
    const { left, right, width } = one.getBoundingClientRect()
    return width > 0 && (right > innerWidth + 1 || left < 0)
  }).map((one) => one.ariaLabel ?? one.textContent),
  sideways: [...document.querySelectorAll('main .scroll')].filter((one) => one.scrollWidth > one.clientWidth + 1)
    .map((one) => one.innerText.slice(0, 80)),
  primaries: [...document.querySelectorAll('.primary')].filter((one) => one.checkVisibility()).length,
}))`

/** Set, it has every look of every page kept as a picture. Nobody's test looks at those, and they take a while. */
const SETTING = 'DOGWATCH_TEST_SCREENSHOTS'
/** Where they are, a folder for each test file. */
const SCREENSHOTS = fileURLToPath(new URL('../../../../.cache/screenshots/', import.meta.url))

/** Bounds a wait for the browser. It ends earlier if the page, or its context, is closed. */
const LIMIT_MS = 60_000

export interface VisitorOptions extends BrowserContextOptions {
  /** Of whoever is signed in. */
  session?: string | undefined
  /** Puts axe on every page as it loads: for who asks it of all of them, that is four times as fast. */
  bringsAxe?: boolean
}

export async function visitor(
  browser: Browser,
  origin: string,
  { session, bringsAxe = false, ...options }: VisitorOptions = {},
): Promise<Visitor> {
  const context = await browser.newContext({ baseURL: origin, locale: 'en-GB', timezoneId: 'UTC', ...options })
  context.setDefaultTimeout(LIMIT_MS)
  if (bringsAxe) await context.addInitScript(AXE)
  if (session !== undefined) await context.addCookies([{ name: 'dogwatch-session', value: session, url: origin }])
  const page = await context.newPage()
  let seen: string[] = []
  // That a page answers 404 is its own matter.
  const isStatus = (text: string) => text.startsWith('Failed to load resource: the server responded with a status of')
  page.on('console', (message) => {
    if (message.type() === 'error' && !isStatus(message.text())) seen.push(message.text())
  })
  page.on('pageerror', (error) => void seen.push(String(error)))
  context.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) seen.push(`asks ${request.url()}`)
  })
  context.on('requestfailed', (request) => {
    const why = request.failure()?.errorText ?? ''
    if (why !== 'net::ERR_ABORTED') seen.push(`${why} for ${request.url()}`)
  })
  const arrive = async (leave: () => Promise<unknown>): Promise<void> => {
    await Promise.all([page.waitForEvent('load'), leave()])
  }
  return {
    context,
    page,
    trouble: () => {
      const all = seen
      seen = []
      return all
    },
    open: async (path) => {
      try {
        return (await page.goto(path))?.status()
      } catch (error) {
        if (/Download is starting/.test(String(error))) return 'file'
        throw error
      }
    },
    axe: async (rules = 'all') =>
      (await page.evaluate<string[] | undefined>(askAxe(rules))) ?? (await bringAxe(page, rules)),
    layout: () => page.evaluate(LAYOUT),
    overflow: () => page.evaluate(OVERFLOW),
    arrive,
    follow: (name) => arrive(() => page.getByRole('link', { name, exact: true }).first().click()),
    press: (name) => arrive(() => page.getByRole('button', { name, exact: true }).first().click()),
    forgetSession: async () => {
      await page.goto('about:blank')
      await context.clearCookies({ name: 'dogwatch-session' })
    },
    keep: async (name) => {
      if (!process.env[SETTING]) return
      for (const shot of SHOTS) {
        await wear(page, shot)
        await page.screenshot({ path: join(SCREENSHOTS, `${name}-${shot.scheme}-${shot.width}.png`), fullPage: true })
      }
    },
    close: () => context.close(),
  }
}

/** Runs one step of a story: of a test whose steps build on each other. A failure names its step. */
export async function step(what: string, act: () => Promise<void>): Promise<void> {
  try {
    await act()
  } catch (error) {
    throw new Error(`the step that fell short: ${what}`, { cause: error })
  }
}

async function bringAxe(page: Page, rules: 'all' | 'colours'): Promise<string[]> {
  await page.evaluate(AXE)
  return page.evaluate(askAxe(rules))
}

export async function wear(page: Page, { scheme, width }: Look | (typeof SHOTS)[number]): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme })
  await page.setViewportSize({ width, height: 800 })
}
