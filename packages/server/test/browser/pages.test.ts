// Every page there is, of an org that has everything and of one that has nothing, in a real browser.

import { openSession } from '@dogwatch/domain/people/sessions'
import { afterAll, beforeAll, describe, expect } from '@jest/globals'
import { openChromium } from '../support/chromium.ts'
import { eventually, type World, world } from '../support/world.ts'
import { type FullOrg, fullOrg } from './full-org.ts'
import { PLACES, type Place, pathsOf, sendForms } from './tour.ts'
import { type Look, type Visitor, visitor, wear } from './visitor.ts'

const { browser, test, close } = await openChromium()

let w: World
let full: FullOrg
type Role = 'guest' | 'owner' | 'admin' | 'beginner'
let sessions: Readonly<Record<Role, string | undefined>>

beforeAll(async () => {
  w = await world()
  const empty = await w.org()
  full = await fullOrg(w)
  const { owner, admin } = full
  const beginner = await openSession(w.deps, empty.owner_id, empty.org_id)
  sessions = { guest: undefined, owner, admin, beginner }
})
afterAll(async () => {
  await close()
  await w.close()
})

/** Opens the browser context of one test. */
const as = (role: Role) => visitor(browser, w.direct, { session: sessions[role], bringsAxe: true })

/** What a scheme and what a width may break; a narrow page may break in either. */
const TRIED: readonly Look[] = [
  { scheme: 'light', width: 1440 },
  { scheme: 'light', width: 360 },
  { scheme: 'dark', width: 360 },
]

/** What axe finds in a scheme, it finds at any width. */
const isForAxe = (look: Look) => look.scheme === 'dark' || look.width === 1440
/** The second colour scheme can only add faults of colours. */
const rulesFor = (look: Look) => (look.scheme === 'dark' ? 'colours' : 'all')

/** Elements with their classes, and those around them, that were seen in the second colour scheme. Colours depend on nothing else. */
const seenInDark = new Set<string>()
const PAINTED = `[...new Set([...document.querySelectorAll('body *')].map((one) => {
  const path = []
  for (let at = one; at && path.length < 4; at = at.parentElement) path.push(at.localName + '.' + at.classList)
  return path.join(' < ')
}))]`

async function hasNewColours(visitor: Visitor): Promise<boolean> {
  const painted = await visitor.page.evaluate<string[]>(PAINTED)
  const before = seenInDark.size
  for (const path of painted) seenInDark.add(path)
  return seenInDark.size > before
}

/** Where scripts draw, each look has a visit of its own; else the page flows into it, and its scripts hear of that. */
async function expectSound(visitor: Visitor, path: string, name: string, status = 200): Promise<void> {
  let isDrawn = true
  for (const [i, look] of TRIED.entries()) {
    await wear(visitor.page, look)
    if (i === 1) isDrawn = (await visitor.page.locator('figure.chart').count()) > 0
    if (isDrawn) {
      const answered = await visitor.open(path)
      if (answered === 'file') return
      expect({ path, status: answered }).toEqual({ path, status })
    }
    await expectWell(visitor, name, look, rulesFor(look))
  }
  await visitor.keep(shotOf(name))
}

function shotOf(name: string): string {
  return `pages/${name.replace(/[/:]+/g, ' ').trim()}`
}

async function expectWell(visitor: Visitor, name: string, look: Look, rules: 'all' | 'colours' = 'all'): Promise<void> {
  const { axe, layout, trouble } = visitor
  const { overflow, outOfReach, sideways, primaries } = await layout()
  const found = {
    name,
    look,
    axe: isForAxe(look) && (rules === 'all' || (await hasNewColours(visitor))) ? await axe(rules) : [],
    overflow,
    outOfReach,
    sideways: look.width === 360 ? sideways : [],
    hasTooManyPrimaries: primaries > 1,
  }
  const sound = { axe: [], overflow: [], outOfReach: [], sideways: [], hasTooManyPrimaries: false, trouble: [] }
  expect({ ...found, trouble: trouble() }).toEqual({ name, look, ...sound })
}

const roleFor = ({ access }: Place): Role => (access === 'anyone' ? 'guest' : access === 'admin' ? 'admin' : 'owner')

// One test for each role: a new context for each page would cost as much as half of what is done on the page.
describe('no fault that axe finds, light and dark; nothing overflows at 360 px; nothing is asked of others', () => {
  for (const role of ['guest', 'owner', 'admin'] as const)
    test(`on every page of the ${role}`, async () => {
      const someone = await as(role)
      for (const place of PLACES.filter((one) => roleFor(one) === role))
        for (const [i, path] of pathsOf(full, place).entries())
          await expectSound(someone, path, `${place.path} ${i + 1}`)
    })

  test('on every page of an owner who has nothing yet', async () => {
    const beginner = await as('beginner')
    for (const { path, access } of PLACES) {
      if (path.includes(':') || ['anyone', 'person', 'admin'].includes(access)) continue
      await expectSound(beginner, path, `empty ${path}`)
    }
  })
})

test('faults of each kind are seen', async () => {
  const beginner = await as('beginner')
  await beginner.open('/checks')
  await beginner.page.evaluate(`document.querySelector('main').innerHTML = '<img src="//127.0.0.2/x.png">' +
    '<p class="scroll"><b class="hint" onclick="x()">small</b></p><pre class="wide">' + 'x '.repeat(400) + '</pre>'`)
  await wear(beginner.page, { scheme: 'light', width: 360 })
  expect((await beginner.axe()).join()).toMatch(/image-alt/)
  expect((await beginner.overflow()).join()).toMatch(/px wide/)
  await beginner.page.evaluate(`document.querySelector('main').innerHTML =
    '<div class="scroll"><table><tr>' + '<td>x</td>'.repeat(8) + '<td><button>Remove</button></td></tr></table></div>'`)
  expect((await beginner.layout()).outOfReach).toEqual(['Remove'])
  expect(beginner.trouble().join()).toMatch(/Content Security Policy/)
})

test('the palette opens by its keys, finds what is typed, and Enter goes there; Escape gives the focus back', async () => {
  const owner = await as('owner')
  const { page } = owner
  await wear(page, { scheme: 'light', width: 1440 })
  await owner.open('/settings')
  await page.getByLabel('Name').focus()
  await page.keyboard.press('Control+k')
  const box = page.getByRole('combobox')
  await page.getByRole('option', { name: /^Create check/ }).waitFor()
  expect(await owner.axe()).toEqual([])
  await owner.keep('pages/palette')
  await page.keyboard.press('Escape')
  expect(await page.evaluate(`document.activeElement.name`)).toBe('name')
  await wear(page, { scheme: 'dark', width: 360 })
  await page
    .getByRole('banner')
    .getByRole('link', { name: /^Search/ })
    .click()
  await box.fill('delivery')
  await page.getByRole('option', { name: 'Delivery log' }).waitFor()
  expect([await owner.axe(), await owner.overflow()]).toEqual([[], []])
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowUp')
  const active = await box.getAttribute('aria-activedescendant')
  expect(await page.locator(`#${active ?? ''}`).getAttribute('aria-selected')).toBe('true')
  // Enter right after the last letter waits for what that finds.
  await box.fill('who would')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/channels\/who$/)
  expect(owner.trouble()).toEqual([])
})

test('an answer to an earlier text that arrives after Enter does not decide where the palette goes', async () => {
  const owner = await as('owner')
  const { page } = owner
  await wear(page, { scheme: 'light', width: 1440 })
  await owner.open('/settings')
  const entered = Promise.withResolvers<undefined>()
  await page.route(/search\.json\?q=delivery/, async (route) => {
    await entered.promise
    await route.continue().catch(() => undefined)
  })
  await page.keyboard.press('Control+k')
  const box = page.getByRole('combobox')
  const asked = page.waitForRequest(/search\.json\?q=delivery/)
  await box.fill('delivery')
  await asked
  await box.fill('who would')
  await page.keyboard.press('Enter')
  entered.resolve(undefined)
  await page.waitForURL(/\/channels\/(who|deliveries)$/)
  expect(new URL(page.url()).pathname).toBe('/channels/who')
})

test('on a phone the menu opens by More, over the page, and Escape or its end closes it', async () => {
  const owner = await as('owner')
  const { page } = owner
  await wear(page, { scheme: 'light', width: 360 })
  await owner.open('/monitors')
  const menu = page.getByRole('complementary', { name: 'Menu' })
  expect(await menu.isVisible()).toBe(false)
  await page.getByRole('link', { name: 'Menu' }).click()
  await menu.waitFor()
  expect([await owner.axe(), await owner.overflow()]).toEqual([[], []])
  await owner.keep('pages/menu')
  await wear(page, { scheme: 'light', width: 360 })
  await page.keyboard.press('Escape')
  await menu.waitFor({ state: 'hidden' })
  await page.getByRole('link', { name: 'Menu' }).click()
  await menu.getByRole('link', { name: 'Close menu' }).click()
  await menu.waitFor({ state: 'hidden' })
})

test('on paper there is no navigation and no button, and forced colours keep the marks of what is current', async () => {
  const owner = await as('owner')
  const { page } = owner
  await wear(page, { scheme: 'dark', width: 1440 })
  await owner.open('/settings')
  await page.emulateMedia({ media: 'print' })
  expect(await page.locator('nav, aside, button, form').filter({ visible: true }).count()).toBe(0)
  const colours = `(({ color, backgroundColor }) => [color, backgroundColor])(getComputedStyle(document.body))`
  expect(await page.evaluate(colours)).toEqual(['rgb(0, 0, 0)', 'rgba(0, 0, 0, 0)'])
  await page.emulateMedia({ media: 'screen', forcedColors: 'active' })
  const outline = await page.evaluate(`getComputedStyle(document.querySelector('.tabs [aria-current]')).outlineStyle`)
  expect(outline).toBe('solid')
  expect(await owner.axe()).toEqual([])
})

test('a question opens in a dialog, and Cancel leaves everything as it is', async () => {
  const owner = await as('owner')
  const { page } = owner
  await wear(page, { scheme: 'light', width: 1440 })
  await owner.open('/channels/routes')
  await page
    .getByRole('link', { name: /^Delete / })
    .first()
    .click()
  const dialog = page.getByRole('dialog', { name: /^Delete / })
  await dialog.getByRole('button', { name: 'Delete route' }).waitFor()
  expect(await owner.axe()).toEqual([])
  await owner.keep('pages/dialog')
  await dialog.getByRole('link', { name: 'Cancel' }).click()
  expect([await page.getByRole('dialog').count(), new URL(page.url()).pathname]).toEqual([0, '/channels/routes'])
})

test('a chart shades the days that nobody watched, tells them on hover, and zooms into what is marked', async () => {
  const path = `/checks/${full.params.check?.[0] ?? ''}`
  const owner = await as('owner')
  const { page } = owner
  await wear(page, { scheme: 'light', width: 1440 })
  await owner.open(`${path}?period=7d`)
  const canvas = page.locator('figure.chart canvas').first()
  await canvas.waitFor()
  const shaded = await page.evaluate(`(() => {
    const probe = document.createElement('span')
    probe.style.color = 'var(--shade-unknown)'
    document.body.append(probe)
    const shade = getComputedStyle(probe).color
    const canvas = document.querySelector('figure.chart canvas')
    const { data } = canvas.getContext('2d').getImageData(canvas.width * 0.4, canvas.height * 0.2, 40, 40)
    const pixels = Array.from({ length: 1600 }, (_, i) => 'rgb(' + data.slice(4 * i, 4 * i + 3).join(', ') + ')')
    return pixels.filter((pixel) => pixel === shade).length
  })()`)
  // Lines of the grid may cross it.
  expect(shaded).toBeGreaterThan(1200)
  const plot = page.locator('figure.chart .u-over')
  const { width, height } = (await plot.boundingBox()) ?? { width: 0, height: 0 }
  await plot.hover({ position: { x: width * 0.4, y: height / 2 } })
  const legend = page.locator('figure.chart .u-legend')
  await eventually(async () => /State:?\s*Not watched/.test(await legend.innerText()), 'the legend tells the state')
  await plot.hover({ position: { x: width * 0.92, y: height / 2 } })
  await page.mouse.down()
  await plot.hover({ position: { x: width * 0.98, y: height / 2 } })
  await Promise.all([page.waitForURL(/from=/), page.mouse.up()])
  expect(await page.getByRole('link', { name: 'Zoom out' }).count()).toBe(1)
  expect(await page.locator('figure.chart canvas').count()).toBe(1)
})

test('why a check is down stands within the first 300 px, on a phone as well', async () => {
  const owner = await as('owner')
  for (const width of [1440, 390] as const) {
    await owner.page.setViewportSize({ width, height: 800 })
    await owner.open(`/checks/${full.params.check?.[0] ?? ''}`)
    const box = await owner.page.locator('.cause').boundingBox()
    expect((box?.y ?? Infinity) + (box?.height ?? 0)).toBeLessThan(300)
  }
})

test('a chart takes the colours of the scheme that it is seen in', async () => {
  const owner = await as('owner')
  const drawn = owner.page.locator('figure.chart canvas').first()
  const picture = () => drawn.evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL())
  const path = `/checks/${full.params.check?.[0] ?? ''}`
  await wear(owner.page, { scheme: 'light', width: 1440 })
  await owner.open(path)
  await drawn.waitFor()
  const light = await picture()
  await owner.page.emulateMedia({ colorScheme: 'dark' })
  await eventually(async () => (await picture()) !== light, 'it is drawn anew')
  expect(await owner.page.locator('figure.chart canvas').count()).toBe(1)
  await owner.page.emulateMedia({ colorScheme: 'light' })
  await eventually(async () => (await picture()) === light, 'it is drawn as before')
})

describe('the same of pages that only a form leads to', () => {
  test('a page that there is not', async () => {
    await expectSound(await as('owner'), '/no-such-page', 'missing', 404)
    await expectSound(await as('guest'), '/status/no-such-page', 'missing status', 404)
  })
  for (const path of [
    '/checks/new',
    '/checks/import',
    '/monitors/new',
    '/channels/new?kind=webhook',
    '/heartbeats/new',
    '/settings/api-tokens',
    '/settings/members',
    '/channels/maintenance/new',
  ]) {
    test(`what follows on ${path}`, async () => {
      const owner = await as('owner')
      const look = TRIED[2] as Look
      await wear(owner.page, look)
      const count = await sendForms(owner, path, 'a text', async () => {
        await expectWell(owner, `sent ${path.split('?')[0]}`, look)
        await owner.keep(shotOf(`sent ${path.split('?')[0]}`))
        await wear(owner.page, look)
      })
      expect(count).toBeGreaterThan(0)
    })
  }
  test('the banner of who looks through the eyes of another', async () => {
    // A session of its own, because the server notes in it whose eyes it looks through.
    const [person] = await w.rows('select person_id from people where is_admin')
    const session = await openSession(w.deps, Number(person?.person_id))
    const admin = await visitor(browser, w.direct, { session, bringsAxe: true })
    await admin.open('/admin/people')
    await admin.page.getByRole('button', { name: /^Log in as: owner-/ }).click()
    await admin.page.getByRole('button', { name: 'Stop' }).waitFor()
    for (const path of ['/checks', '/account', '/settings/api-tokens']) await expectSound(admin, path, `banner ${path}`)
  })
})

describe('at three in the morning', () => {
  for (const width of [360, 1440] as const) {
    test(`an incident is acknowledged from the overview, opened and written about, ${width} px wide`, async () => {
      const owner = await as('owner')
      const { page } = owner
      const look: Look = { scheme: 'dark', width }
      await wear(page, look)
      await owner.open('/')
      const down = page.getByRole('article', { name: 'down', exact: true })
      // It may be acknowledged already.
      const verbs = ['Acknowledge: down', 'Unacknowledge: down'] as const
      const isOpen = (await down.getByRole('button', { name: verbs[0], exact: true }).count()) > 0
      const [before = '', after = ''] = isOpen ? verbs : verbs.toReversed()
      await down.getByRole('button', { name: before, exact: true }).click()
      await down.getByRole('button', { name: after, exact: true }).waitFor()
      expect(new URL(page.url()).pathname).toBe('/')
      await down.getByRole('link', { name: 'down', exact: true }).click()
      await page.getByRole('heading', { name: 'Timeline' }).waitFor()
      expect(await page.locator('main').innerText()).toMatch(/Failing from|First failure from/)
      await page.getByLabel('Note', { exact: true }).fill(`It is the disk, seen at ${width} px.`)
      await page.getByRole('button', { name: 'Add note' }).click()
      await page.getByText(`It is the disk, seen at ${width} px.`).waitFor()
      await expectWell(owner, `incident written about at ${width}`, look)
      await owner.open('/incidents?state=open&tag=none')
      await expectWell(owner, `incidents filtered at ${width}`, look)
    })
  }
})
