// A definition is tested before it is saved, and a check is run now: what a member sees of that, without scripts.

import type { RunReport, RunRequest } from '@dogwatch/monitor-sdk'
import { afterEach, expect, test } from '@jest/globals'
import { bob, deeds, fault, oneCheck, org, w } from '../support/check-pages.ts'
import { ownerOf } from '../support/console.ts'
import { type Org, world } from '../support/world.ts'

const stopping: (() => void)[] = []
afterEach(() => stopping.splice(0).forEach((stop) => stop()))

/** A monitor that does what it is asked for, and finds this. */
async function answering(of: Org | null, found: Omit<RunReport, 'id'>, name = 'rack 4') {
  const monitor = await w.monitor(of, name)
  const asked: RunRequest[] = []
  await monitor.client.ping()
  let isOver = false
  stopping.push(() => (isOver = true))
  void (async () => {
    while (!isOver) {
      const { sync } = await monitor.client.ping({ wait_sec: 1 })
      if (sync !== true) continue
      const { runs = [] } = await monitor.client.sync()
      asked.push(...runs)
      await monitor.client.reportRuns(runs.map(({ id }) => ({ id, ...found })))
    }
  })().catch(() => undefined)
  return { monitor, asked }
}

const FOUND = {
  success: false,
  kind: 'status',
  error: 'status: the status is 500',
  http_status: 500,
  latency_ms: 34,
  phases: { connect: 1.2, first_byte: 30.1 },
  certificate_days: 20,
  redirects: ['https://www.shop.example/'],
  response_sample: '<b>oops</b> you are secret-key',
}
const ENTERED = { name: '', url: 'https://shop.example/', headers: 'X-Key: secret-key' }

const facts = () =>
  Object.fromEntries(
    bob.all('main dl.facts > div').map((one) => [one.querySelector('dt')?.text, one.querySelector('dd')?.text]),
  )

async function enter(given: Record<string, string> = {}, path = '/checks/new'): Promise<void> {
  await bob.open(path)
  await bob.submit(`${path}/test`, { ...ENTERED, ...given })
}

test('what is entered is run once, shown with every fact, and kept in the form; nothing is saved', async () => {
  const { asked } = await answering(org, FOUND)
  await enter({ match_string: 'welcome' })
  expect(asked).toEqual([
    expect.objectContaining({ check: expect.objectContaining({ url: ENTERED.url, match_string: 'welcome' }) }),
  ])
  expect(facts()).toEqual({
    'Failed rule': 'Status code',
    'Status code': '500',
    'Response time': '34 ms',
    Connect: '1.2 ms',
    'Time to first byte': '30.1 ms',
    Certificate: 'Expires in 20 days',
  })
  const main = bob.all('main')[0]?.innerHTML ?? ''
  expect(main).toContain('HTTP status 500')
  expect(main).toContain('https://www.shop.example/')
  expect(main).toContain('&lt;b>oops&lt;/b> you are ***')
  expect(
    bob.all('#field-match_string')[0]?.getAttribute('value') ?? bob.all('#field-match_string')[0]?.text.trim(),
  ).toBe('welcome')
  expect(await w.rows('select from checks where org_id = $1', org.org_id)).toEqual([])
  expect((await deeds()).map(({ action, subject }) => `${action} ${subject}`)).toEqual(['check.test Untitled check'])
})

test('what is wrong with it is said, and nobody is asked', async () => {
  const { asked } = await answering(org, FOUND)
  await enter({ url: 'gopher://shop.example' })
  expect(fault().join()).toMatch(/Target.* must start with http/)
  await enter({ url: '', headers: '', private: 'on' })
  expect(fault().join()).toMatch(/private definition cannot be tested/)
  expect(asked).toEqual([])
})

test('the monitor that is chosen is asked, of two', async () => {
  const [one, two] = [await answering(org, { success: true }, 'one'), await answering(org, { success: true }, 'two')]
  await enter({ test_from: two.monitor.id })
  expect(bob.text()).toContain('Passed from two')
  await enter({ test_from: one.monitor.id })
  expect(bob.text()).toContain('Passed from one')
  expect([one.asked.length, two.asked.length]).toEqual([1, 1])
  await enter({ test_from: (await w.monitor(await w.org())).id })
  expect(fault().join()).toMatch(/monitor is offline or cannot run/)
})

test('a check is run now, by the monitor that is chosen, and its page says what it came to', async () => {
  const guid = await oneCheck()
  const { monitor, asked } = await answering(org, { ...FOUND, success: true, kind: 'ok' }, 'attic')
  await answering(org, { success: false }, 'cellar')
  await bob.open(`/checks/${guid}`)
  await bob.submit(`/checks/${guid}/run`, { from: monitor.id })
  expect(bob.page.path).toMatch(/^\/checks\/[^/]+\/runs\/[^/]+$/)
  expect(bob.text()).toMatch(/Passed from attic/)
  expect(asked).toEqual([{ id: expect.any(String), check_guid: guid }])
  expect((await deeds()).map(({ action, detail }) => [action, detail])).toEqual([
    ['check.run', { monitor: monitor.id }],
  ])
  const run = bob.page.path
  await bob.open(run.replace(guid, await oneCheck({ name: 'other' })))
  expect(bob.page.status).toBe(404)
})

test('a paused check has no such button; without a monitor, the form says that there is none', async () => {
  const guid = await oneCheck({ enabled: false })
  await bob.open(`/checks/${guid}`)
  expect(bob.all(`form[action="/checks/${guid}/run"]`)).toEqual([])
  await bob.open('/checks/new')
  expect(bob.text()).toContain('No monitors to test with.')
})

test('an internal target is not tested by the shared fleet', async () => {
  const { asked } = await answering(null, { success: true })
  await enter({ url: 'http://10.0.0.5/' })
  expect(fault().join()).toMatch(/shared monitors cannot test internal targets/)
  await enter()
  expect([bob.text().includes('Passed from rack 4'), asked.length]).toEqual([true, 1])
})

test('of a person some runs in a row are enough', async () => {
  await w.monitor(org)
  const statuses = new Set<number>()
  for (let n = 0; n < 40 && !statuses.has(429); n++) {
    await enter({ test_from: 'nobody' })
    statuses.add(bob.page.status)
  }
  expect([...statuses]).toEqual([400, 429])
})

test('a monitor that does not answer is waited for, and asked once', async () => {
  const own = await world({ console: { public_url: 'http://dogwatch.example', run_wait_ms: 50 } })
  try {
    const theirs = await own.org()
    const { browser } = await ownerOf(own, theirs)
    const monitor = await own.monitor(theirs)
    await monitor.client.ping()
    await browser.open('/checks/new')
    await browser.submit('/checks/new/test', ENTERED)
    expect(browser.text()).toContain('Waiting for rack 4')
    const run = browser.all('button[data-pending]')[0]?.getAttribute('value') ?? ''
    const { runs = [] } = await monitor.client.sync()
    await browser.submit('/checks/new/test', { run })
    expect(browser.text()).toContain('Running on rack 4…')
    await monitor.client.reportRuns(runs.map(({ id }) => ({ id, success: true })))
    await browser.submit('/checks/new/test', { run })
    expect([browser.text().includes('Passed from rack 4'), runs.map(({ id }) => id)]).toEqual([true, [run]])
    expect((await monitor.client.sync()).runs).toBeUndefined()
    const [guid = ''] = await own.checks(theirs, [{}], 'all')
    await browser.open(`/checks/${guid}`)
    await browser.submit(`/checks/${guid}/run`)
    expect(browser.all('a[data-reload]')).toHaveLength(1)
    own.clock.forward(121)
    await browser.open(browser.page.path)
    expect([browser.all('a[data-reload]').length, browser.text()]).toEqual([
      0,
      expect.stringContaining('No response from rack 4 within 2 min. The monitor was offline.'),
    ])
  } finally {
    await own.close()
  }
})

test('each assertion is shown in words, with its outcome and the value that the monitor saw', async () => {
  const assertions = [{ passed: true, seen: '"up"' }, { passed: false, seen: '12 is secret-key' }, { seen: 'too long' }]
  const { monitor } = await answering(org, { ...FOUND, kind: 'assertion', error: 'assertion: rule 2', assertions })
  await monitor.client.reportStatus({
    version: '1',
    uptime_sec: 1,
    unsent_results: 0,
    abilities: ['http', 'assertions'],
  })
  await bob.open('/checks/new')
  await bob.submit('/checks/new/test', {
    ...ENTERED,
    assertion_on: ['json', 'size', 'body'],
    assertion_at: ['$.status', '', ''],
    assertion_is: ['eq', 'lt', 'regex'],
    assertion_value: ['up', '10', 'a'],
  })
  expect(bob.all('.judged li').map((one) => one.structuredText.replaceAll(/\s+/g, ' ').trim())).toEqual([
    'Passed JSON body $.status is "up" Value: "up"',
    'Failed Body size (bytes) is less than 10 Value: 12 is ***',
    'Not judged Body matches (RE2) "a" Value: too long',
  ])
  expect(bob.text()).toContain('Assertion 2')
})
