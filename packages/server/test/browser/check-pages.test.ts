// The list of checks and the form of a check in a real browser: with keys, and without scripts.

import { openSession } from '@dogwatch/domain/people/sessions'
import { afterAll, beforeAll, beforeEach, expect } from '@jest/globals'
import { openChromium } from '../support/chromium.ts'
import { result, type World, world } from '../support/world.ts'
import { type Visitor, visitor, wear } from './visitor.ts'

const { browser, test, close } = await openChromium()

let w: World
let alice: Visitor
/** Like alice, in a browser that runs no scripts. */
let plain: Visitor
beforeAll(async () => {
  w = await world()
})
beforeEach(async () => {
  const org = await w.org()
  const monitor = await w.monitor(org, 'attic')
  const guids = await w.checks(
    org,
    [
      {
        name: 'a shop',
        url: 'https://shop.example/a/very/long/path/to/something-that-does-not-end',
        tags: ['prod', 'web'],
      },
      { name: 'b mail', url: 'tcp://mail.example:25', tags: ['prod'] },
      { name: 'c inner', url: '', restricted: true },
    ],
    'all',
  )
  const ran_at = new Date(w.clock.now().getTime() - 60_000).toISOString()
  await monitor.client.upload(guids.map((guid) => result(guid, { ran_at })))
  const session = await openSession(w.deps, org.owner_id, org.org_id)
  alice = await visitor(browser, w.direct, { session })
  plain = await visitor(browser, w.direct, { session, javaScriptEnabled: false })
})
afterAll(async () => {
  await close()
  await w.close()
})

const names = ({ page }: Visitor) => page.locator('td.name > a:first-child').allInnerTexts()
const focused = () => alice.page.evaluate<string>('document.activeElement.textContent || document.activeElement.name')
const sound = async (as: Visitor) => {
  for (const scheme of ['light', 'dark'] as const) {
    await wear(as.page, { scheme, width: 1440 })
    expect(await as.axe()).toEqual([])
    await wear(as.page, { scheme, width: 360 })
    expect(await as.layout()).toMatchObject({ overflow: [], outOfReach: [] })
  }
  await wear(as.page, { scheme: 'light', width: 1440 })
  expect(as.trouble()).toEqual([])
}

test('without scripts, checks are searched, selected, tagged, deleted and brought back', async () => {
  await plain.open('/checks')
  await plain.page.getByLabel('Search checks').fill('prod')
  await plain.press('Apply filters')
  expect(await names(plain)).toEqual(['a shop', 'b mail'])
  await plain.page.getByLabel('Select b mail').check()
  await plain.page.getByText('Edit tags, interval or monitors').click()
  await plain.page.getByRole('textbox', { name: 'Tags' }).fill('Ports')
  await plain.press('Add tags')
  expect(await plain.page.locator('td.name .tag').allInnerTexts()).toEqual(['prod', 'web', 'ports', 'prod'])
  await plain.page.getByLabel('Select a shop').check()
  await plain.page.getByLabel('Select b mail').check()
  await plain.press('Delete')
  expect(await plain.page.locator('main').innerText()).toContain('2 checks deleted.')
  expect(await plain.page.locator('tbody').count()).toBe(0)
  await plain.press('Undo deletion of a shop, b mail')
  expect(await names(plain)).toEqual(['a shop', 'b mail'])
})

test('on paper the list has its table, without what selects and changes', async () => {
  const { page } = alice
  await alice.open('/checks')
  await page.emulateMedia({ media: 'print' })
  expect(await page.locator('table.checks td.name').filter({ visible: true }).count()).toBe(3)
  expect(await page.locator('button, select, input').filter({ visible: true }).count()).toBe(0)
  await page.emulateMedia({ media: 'screen' })
})

test('a row of the list has two lines at most, whatever is in it, and nothing overflows', async () => {
  const { page } = alice
  await w.rows("update checks set name = repeat('a long name ', 12) where name = 'a shop'")
  await w.rows(
    "update checks set tags = array(select 'tag-number-' || n from generate_series(1, 12) n) where name = 'b mail'",
  )
  for (const width of [1440, 1024, 768]) {
    await page.setViewportSize({ width, height: 800 })
    await alice.open('/checks')
    const rows = page.locator('table.checks tbody tr[data-row]')
    const heights = await rows.evaluateAll((all) =>
      all.map((row) => (row as unknown as { offsetHeight: number }).offsetHeight),
    )
    expect([width, Math.max(...heights) <= 64, await alice.overflow()]).toEqual([width, true, []])
  }
  await alice.keep('check-pages/rows')
})

test('keys search, walk, select and explain; what can be done stays in sight', async () => {
  const { page } = alice
  await alice.open('/checks?sort=name')
  await page.keyboard.press('j')
  expect(await focused()).toBe('a shop')
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await page.keyboard.press('k')
  expect(await focused()).toBe('a shop')
  expect(await page.locator('input[name=check]:checked').count()).toBe(1)
  expect(await page.locator('[data-selected]').innerText()).toBe('1 selected:')
  await page.getByLabel('Select all checks on this page').check()
  expect(await page.locator('[data-selected]').innerText()).toBe('3 selected:')
  await page.keyboard.press('?')
  expect(await page.locator('dialog#keys[open]').count()).toBe(1)
  await sound(alice)
  await page.keyboard.press('Escape')
  expect(await page.locator('dialog#keys[open]').count()).toBe(0)
  await sound(alice)
  await page.keyboard.press('/')
  expect(await focused()).toBe('q')
  await page.keyboard.type('jx?mail')
  expect(await page.getByLabel('Search checks').inputValue()).toBe('jx?mail')
  await alice.arrive(() => page.getByLabel('Type').selectOption('tcp'))
  expect(new URL(page.url()).search).toBe('?q=jx%3Fmail&kind=tcp&sort=name')
})

test('the form shows the fields of its kind, and begins at the first fault', async () => {
  const { page } = alice
  await alice.open('/checks/new')
  await page.evaluate('for (const part of document.querySelectorAll("details")) part.open = true')
  expect(await page.getByLabel('Request headers').isVisible()).toBe(true)
  await page.getByLabel('TCP port').check()
  expect(await page.getByLabel('Target', { exact: true }).inputValue()).toBe('')
  expect(await page.getByLabel('Request headers').isVisible()).toBe(false)
  expect(await page.getByText('Request', { exact: true }).isVisible()).toBe(false)
  await page.getByLabel('Target', { exact: true }).fill('http://shop.example/a')
  expect(await page.getByLabel('Website').isChecked()).toBe(true)
  await page.getByRole('radio', { name: 'TLS certificate' }).check()
  expect(await page.getByLabel('Target', { exact: true }).inputValue()).toBe('tls://shop.example')
  await page.getByLabel('Target', { exact: true }).fill('')
  expect(await page.getByPlaceholder('tls://example.com:443').count()).toBe(1)
  await page.getByLabel('Target', { exact: true }).fill('https://shop.example/')
  expect(await page.getByLabel('Website').isChecked()).toBe(true)
  expect(await page.getByLabel('Request headers').isVisible()).toBe(true)
  await page.getByLabel('Name', { exact: true }).fill('shop')
  await page.getByLabel('Request headers').fill('no colon')
  await page.getByLabel('Status code value').fill('200')
  await alice.press('Create check')
  expect(await page.locator('[aria-invalid=true]').count()).toBe(2)
  expect(await page.evaluate('document.activeElement.id')).toBe('field-status_code_op')
  await sound(alice)
  await page.getByRole('link', { name: /Request headers/ }).click()
  expect(await page.evaluate('document.activeElement.id')).toBe('field-headers')
})

test('the target of a composite is continued with one member after the other', async () => {
  const { page } = alice
  await alice.open('/checks/new')
  const target = page.getByLabel('Target', { exact: true })
  expect(await target.getAttribute('list')).toBeNull()
  await page.getByLabel('Composite').check()
  expect(await target.getAttribute('list')).toBe('members')
  const suggested = page.locator('#members option').first()
  const name = String(await suggested.getAttribute('data-name'))
  expect(await suggested.getAttribute('value')).toBe(`composite:${name}`)
  await target.fill('composite:key:web-1,tag:d')
  expect(await suggested.getAttribute('value')).toBe(`composite:key:web-1,${name}`)
  await target.fill('https://example.com/')
  expect(await target.getAttribute('list')).toBeNull()
})

test('a change of the type proposes what fits, and gives back what was typed for the type', async () => {
  const { page } = alice
  await alice.open('/checks/new')
  const target = page.getByLabel('Target', { exact: true })
  const after = async (type: string) => {
    await page.getByRole('radio', { name: type, exact: true }).check()
    return target.inputValue()
  }
  await target.fill('http://shop.example:8080/cart?a=b')
  expect(await after('Ping')).toBe('icmp://shop.example')
  expect(await after('Composite')).toBe('')
  expect(await after('Website')).toBe('http://shop.example:8080/cart?a=b')
  await target.fill('dns://127.0.0.1:5353/www.shop.example')
  await page.getByLabel('Record type').selectOption('MX')
  expect(await after('TCP port')).toBe('tcp://www.shop.example')
  expect(await page.getByLabel('Record type').isVisible()).toBe(false)
  expect(await after('DNS record')).toBe('dns://127.0.0.1:5353/www.shop.example')
  expect(await page.getByLabel('Record type').inputValue()).toBe('MX')
  await target.fill('')
  expect(await after('Website')).toBe('http://shop.example:8080/cart?a=b')
  expect(await after('Domain expiry')).toBe('domain:shop.example')
  expect(await page.getByLabel('Warn', { exact: true }).inputValue()).toBe('30')
  expect(await page.locator('summary', { hasText: 'Success criteria' }).isVisible()).toBe(false)
  await alice.keep('check-pages/domain')
})

test('assertions are added, removed and refused one by one, and show only the inputs that they have', async () => {
  const { page } = alice
  await alice.open('/checks/new')
  await page.getByLabel('Name', { exact: true }).fill('api')
  await page.getByLabel('Target', { exact: true }).fill('https://api.example/')
  await page.locator('summary', { hasText: 'Success criteria' }).click()
  const rows = page.locator('.assertions li')
  expect(await rows.count()).toBe(0)
  const add = page.getByRole('button', { name: 'Add assertion' })
  for (const part of ['json', 'header', 'size']) {
    await add.click()
    expect(await rows.last().locator('option[value=stratum]').isHidden()).toBe(true)
    await rows.last().getByRole('combobox').first().selectOption(part)
  }
  expect(await focused()).toContain('None')
  await page.getByLabel('Assertion 1: path or name').fill('database.status')
  await page.getByLabel('Assertion 1: value').fill('up')
  await page.getByLabel('Assertion 2: path or name').fill('content-type')
  await page.getByLabel('Assertion 2: comparison').selectOption('exists')
  expect(await page.getByLabel('Assertion 2: value').isVisible()).toBe(false)
  expect(await page.getByLabel('Assertion 3: path or name').isVisible()).toBe(false)
  await page.getByLabel('Assertion 3: comparison').selectOption('lt')
  await page.getByLabel('Assertion 3: value').fill('large')
  await alice.keep('check-pages/assertions')
  await page.getByRole('button', { name: 'Remove assertion 2' }).click()
  await alice.press('Create check')
  expect(await page.evaluate('document.activeElement.id')).toBe('field-assertions-1-value')
  await alice.keep('check-pages/assertion-refused')
  await sound(alice)
  await page.getByLabel('Assertion 2: value').fill('1000')
  await alice.press('Create check')
  await alice.open(`${new URL(page.url()).pathname}/definition`)
  expect(await page.locator('main').innerText()).toContain('JSON body $.database.status is "up"')
  await alice.keep('check-pages/assertions-in-words')
})
