// Routes in the console: created, edited, ordered and deleted by forms that need no script, and asked who would be told.

import { createChannel, switchOneChannel } from '@dogwatch/domain/channels/edit'
import { createRoute, type EditedRoute, readRoutes } from '@dogwatch/domain/routing/edit'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Browser } from '../support/browser.ts'
import { deedsOf, faultsOf, faultyFields, ownerOf } from '../support/console.ts'
import { type Org, type World, world } from '../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

async function start() {
  const org = await w.org()
  const { browser } = await ownerOf(w, org)
  const channel = async (name: string) =>
    (await createChannel(w.deps, org.org_id, { kind: 'webhook', name, webhook_url: 'https://hooks.example/' })).id
  const [mail, chat] = [await channel('mail'), await channel('chat')]
  const [guid = ''] = await w.checks(org, [{ name: 'shop' }])
  return { org, browser, mail, chat, guid, routes: () => readRoutes(w.deps, org.org_id) }
}

const ROUTE: EditedRoute = {
  name: 'ops',
  scope: { all: true },
  events: [],
  severity: null,
  quiet: null,
  delay_sec: 0,
  steps: [],
  enabled: true,
}

const PATH = '/channels/routes'

describe('the form', () => {
  test('makes a route with all that one can have, shows it again, and saves it unchanged', async () => {
    const { org, browser, mail, chat, guid, routes } = await start()
    await browser.open(`${PATH}/new`)
    await browser.submit(`${PATH}/new`, {
      ...{
        name: 'nights',
        enabled: 'on',
        scope: 'chosen',
        events: ['down', 'up'],
        severity: 'warning',
        delay: '5 min',
      },
      ...{
        zone: 'Europe/Paris',
        quiet_from: '22:00',
        quiet_to: '07:00',
        quiet_days: ['5', '6'],
        quiet_holds_down: 'on',
      },
      chosen: `check ${guid}`,
      'step0-channels': [String(mail), String(chat)],
      'step1-after': '15 min',
      'step1-weeks': [String(chat), '', String(mail)],
      'step1-starts_on': '2026-11-23',
    })
    expect(browser.text()).toContain('nights created.')
    const [route] = await routes()
    const rotation = { channel_ids: [chat, mail], starts_on: '2026-11-23', at: '09:00', zone: 'Europe/Paris' }
    expect(route).toMatchObject({
      name: 'nights',
      scope: { checks: [guid], heartbeats: [] },
      events: ['down', 'up'],
      severity: 'warning',
      quiet: { from: '22:00', to: '07:00', days: [5, 6], zone: 'Europe/Paris', holds_down: true },
      delay_sec: 300,
      steps: [
        { after_sec: 0, channel_ids: [mail, chat] },
        { after_sec: 900, rotation },
      ],
      enabled: true,
    })
    expect(browser.text()).toContain('After 15 min, if not acknowledged: chat, mail (weekly rotation)')
    const path = `${PATH}/${route?.guid ?? ''}/edit`
    await browser.open(path)
    await browser.submit(path)
    expect(faultsOf(browser)).toEqual([])
    expect(await routes()).toEqual([route])
    expect(await details(org)).toEqual([{}, { changed: [] }])
    await browser.open(path)
    await browser.submit(path, { delay: '', events: [] })
    expect((await details(org)).at(-1)).toEqual({ changed: ['events', 'delay_sec'] })
  })

  test.each([
    ['no channel', {}, '“Escalation steps” must have at least one channel.'],
    ['no name', { name: ' ' }, '“Name” must not be blank.'],
    ['a scope of no tag', { scope: 'tags', tags: ' , ' }, '“Scope” must have at least one tag.'],
    [
      'a scope of a tag that none can be',
      { scope: 'tags', tags: 'x'.repeat(51) },
      '“Scope” must have entries of 1 to 50 characters each, without commas.',
    ],
    [
      'a scope of what is no guid',
      { scope: 'chosen', chosen: 'check \0', 'step0-channels': '1' },
      '“Scope” must list checks and heartbeats by ID.',
    ],
    [
      'tags that the scope does not use',
      { tags: 'database', 'step0-channels': '1' },
      '“Tags” only apply to the scope “Checks and heartbeats by tag”. Choose that scope or clear this field.',
    ],
    [
      'a choice that the scope does not use',
      { scope: 'tags', tags: 'database', chosen: 'check x', 'step0-channels': '1' },
      '“Checks and heartbeats” only apply to the scope “Selected checks and heartbeats”. Choose that scope or clear this selection.',
    ],
    ['half of quiet hours', { quiet_from: '22:00' }, '“Quiet hours” must have a start and an end time such as 22:00.'],
    [
      'quiet hours for ever',
      { quiet_from: '22:00', quiet_to: '22:00' },
      '“Quiet hours” must not cover the whole week. Disable the route instead.',
    ],
    ['a delay that is none', { delay: 'soon' }, '“Delay” must be a duration, such as 90 s, 5 min, 1 h or 1 d.'],
    ['a delay of a week', { delay: '7 d' }, '“Delay” must be 2 d or less.'],
    [
      'a zone that is none',
      { zone: 'Mars', quiet_from: '22:00', quiet_to: '07:00' },
      '“Time zone” must be a time zone, such as Europe/Paris.',
    ],
    [
      'a channel of somebody else',
      { 'step0-channels': '1' },
      'Steps include a deleted channel. Choose another channel.',
    ],
  ])('refuses %s, and keeps what was typed', async (_, fields, line) => {
    const { browser, routes } = await start()
    await browser.open(`${PATH}/new`)
    await browser.submit(`${PATH}/new`, { name: 'typed', ...fields })
    expect(browser.page.status).toBe(400)
    // Beside it, these forms lack a channel.
    expect(faultsOf(browser)[0]).toContain(line)
    expect(browser.all('[name=name]')[0]?.getAttribute('value')).toBe('name' in fields ? '' : 'typed')
    expect(await routes()).toEqual([])
  })

  test('steps follow each other, and are either at once or in turn', async () => {
    const { browser, mail } = await start()
    const step = { name: 'ops', 'step0-channels': String(mail) }
    for (const [fields, line] of [
      [
        { 'step0-channels': [], 'step1-after': '15 min', 'step1-channels': String(mail) },
        'Choose a channel under “Step 1: notify first”, because the route has later steps.',
      ],
      [
        { 'step1-after': '8 d', 'step1-channels': String(mail) },
        '“Escalation steps” must have increasing delays of at most 7 d.',
      ],
      [{ 'step1-after': '5 min' }, '“Escalation steps” must each have at least one channel.'],
      [
        { 'step0-weeks': String(mail) },
        'A step can notify either a list of channels or a weekly rotation. Clear one of them.',
      ],
    ] as const) {
      await browser.open(`${PATH}/new`)
      await browser.submit(`${PATH}/new`, { ...step, ...fields })
      expect(faultsOf(browser)).toEqual([line])
    }
  })

  test('a step that was left empty is none, one after it keeps its time, and one without a time is none', async () => {
    const { browser, mail, chat, routes } = await start()
    // What is typed before the first save comes back where it was typed.
    await browser.open(`${PATH}/new`)
    await browser.submit(`${PATH}/new`, { 'step1-after': '15 min', 'step1-channels': String(chat), name: 'ops' })
    expect(browser.all('[name=step1-after]')[0]?.getAttribute('value')).toBe('15 min')
    await browser.submit(`${PATH}/new`, { 'step0-channels': String(mail), 'step2-channels': String(mail) })
    expect(faultsOf(browser)).toEqual([])
    expect((await routes())[0]?.steps).toEqual([
      { after_sec: 0, channel_ids: [mail] },
      { after_sec: 900, channel_ids: [chat] },
    ])
  })
})

test('routes are ordered, disabled and deleted; each is written down', async () => {
  const { org, browser, mail, routes } = await start()
  const guids: string[] = []
  for (const name of ['first', 'second']) {
    const steps = [{ after_sec: 0, channel_ids: [mail] }]
    guids.push((await createRoute(w.deps, org.org_id, { ...ROUTE, name, steps })).guid)
  }
  const [first = '', second = ''] = guids
  await browser.open(PATH)
  await browser.submit(`${PATH}/${second}/up`)
  expect((await routes()).map(({ name }) => name)).toEqual(['second', 'first'])
  await browser.submit(`${PATH}/${second}/down`)
  expect((await routes()).map(({ name }) => name)).toEqual(['first', 'second'])
  await browser.submit(`${PATH}/${first}/disable`)
  expect(browser.text()).toContain('first disabled.')
  await browser.submit(`${PATH}/${first}/enable`)
  await browser.open(`${PATH}/${second}/delete`)
  await browser.submit(`${PATH}/${second}/delete`)
  expect((await routes()).map(({ name, enabled }) => [name, enabled])).toEqual([['first', true]])
  const deeds = (await deedsOf(w, org)).map((line) => line.replace(/^.*: /, ''))
  expect(deeds).toEqual([
    'route.move second',
    'route.move second',
    'route.disable first',
    'route.enable first',
    'route.delete second',
  ])
  await switchOneChannel(w.deps, { org_id: org.org_id, id: mail }, false)
  await browser.open(PATH)
  expect(browser.text()).toContain('No enabled channels')
})

test('whoever changes routes is told which channels get no alert any more', async () => {
  const { browser, mail, chat, routes } = await start()
  const left = 'chat no longer receives alerts, because no route includes this channel.'
  const fields = { name: 'ops', enabled: 'on', 'step0-channels': String(mail) }
  await browser.open(`${PATH}/new`)
  await browser.submit(`${PATH}/new`, { ...fields, events: ['down'] })
  expect(browser.text()).not.toContain('No alert goes')
  const path = `${PATH}/${(await routes())[0]?.guid ?? ''}`
  await browser.open(`${path}/edit`)
  await browser.submit(`${path}/edit`, { events: [] })
  expect(browser.text()).toContain(`ops saved. ${left}`)
  await browser.open(PATH)
  await browser.submit(`${path}/disable`)
  expect(browser.text()).not.toContain('No alert goes')
  await browser.submit(`${path}/enable`)
  expect(browser.text()).toContain(`ops enabled. ${left}`)
  await browser.open(`${path}/edit`)
  await browser.submit(`${path}/edit`, { 'step0-channels': [String(mail), String(chat)] })
  expect(browser.text()).not.toContain('No alert goes')
})

test('a route of another organisation is unknown', async () => {
  const [{ browser }, other] = [await start(), await start()]
  const steps = [{ after_sec: 0, channel_ids: [other.mail] }]
  const { guid } = await createRoute(w.deps, other.org.org_id, { ...ROUTE, steps })
  expect((await browser.open(`${PATH}/${guid}/edit`)).status).toBe(404)
})

describe('who would be told', () => {
  const table = (browser: Browser) =>
    browser.all('tbody tr').map((row) =>
      row
        .querySelectorAll('td')
        .map((cell) => cell.text.trim())
        .join(' | '),
    )

  test('without routes: every channel, at once', async () => {
    const { browser, guid } = await start()
    await browser.open(`/channels/who?about=check+${guid}&event=check.down`)
    const why = 'No routes are enabled, so the alert goes to every channel.'
    expect(table(browser)).toEqual([`mail | Immediately | ${why}`, `chat | Immediately | ${why}`])
  })

  test('with routes: whom, when and why, what is left out, and what holds it', async () => {
    const { org, browser, mail, chat, guid } = await start()
    const quiet = { from: '22:00', to: '07:00', days: [], zone: 'Europe/Paris', holds_down: false }
    const steps = [
      { after_sec: 0, channel_ids: [mail] },
      { after_sec: 900, channel_ids: [chat] },
    ]
    await createRoute(w.deps, org.org_id, { ...ROUTE, quiet, steps })
    const ask = async (about: string, event: string, at: string) => {
      await browser.open(`/channels/who?about=${about}&event=${event}&at=${at}`)
      return table(browser)
    }
    expect(await ask(`check+${guid}`, 'check.down', '2026-03-29+00:30')).toEqual([
      'mail | Immediately | Route "ops".',
      'chat | 29 Mar, 00:45 (if not acknowledged) | Route "ops", step 2: not acknowledged after 15 min.',
    ])
    // In the night in which summer time begins, seven o'clock is an hour earlier.
    expect(await ask(`check+${guid}`, 'check.unmonitored', '2026-03-29+00:30')).toEqual([
      'mail | 29 Mar, 05:00 (after quiet hours) | Route "ops".',
      'chat | Not notified | Route "ops" only escalates incidents.',
    ])
    expect(await ask(`check+${guid}`, 'check.up', '2026-03-29+00:30')).toHaveLength(2)
    expect(await ask('monitors', 'monitor.offline', '2026-03-29+12:00')).toHaveLength(2)
    const field = () => browser.all('[name=at]').map((one) => [one.getAttribute('type'), one.getAttribute('value')])
    for (const typed of ['2026-03-29T12:00', '2026-03-29+12:00+UTC', '2026-03-29+12:00+pm']) {
      expect(await ask('monitors', 'monitor.offline', typed)).toHaveLength(2)
      expect(field()).toEqual([['datetime-local', '2026-03-29T12:00']])
    }
    expect(browser.all('#field-at-unit')[0]?.text).toBe('UTC')
    await browser.open('/channels/who?about=monitors&at=tonight')
    expect(field()).toEqual([['text', 'tonight']])
    await switchOneChannel(w.deps, { org_id: org.org_id, id: chat }, false)
    expect((await ask(`check+${guid}`, 'check.down', '')).at(-1)).toBe('chat | Not notified | Channel disabled.')
  })

  test.each([
    ['about=check+nothing&event=check.down', 'field-about', 'No check or heartbeat with that guid.'],
    [
      'about=monitors&event=check.down',
      'field-event',
      '“Check: down” does not apply to this selection. Choose another alert.',
    ],
    ['about=monitors&event=monitor.offline&at=tonight', 'field-at', 'Enter a date and time such as 2026-11-23 03:00.'],
    [
      'about=monitors&event=monitor.offline&at=2026-13-40+10:00',
      'field-at',
      'Enter a date and time such as 2026-11-23 03:00.',
    ],
  ])('%s: says what is wrong, at its field', async (query, field, line) => {
    const { browser } = await start()
    await browser.open(`/channels/who?${query}`)
    expect([browser.page.status, faultsOf(browser)]).toEqual([400, [line]])
    expect(faultyFields(browser)).toEqual({ faults: { [field]: line }, first: [field] })
  })

  test('says everything that is wrong at once', async () => {
    const { browser } = await start()
    await browser.open('/channels/who?about=monitors&event=check.down&at=tonight')
    const { faults, first } = faultyFields(browser)
    expect([Object.keys(faults), first]).toEqual([['field-event', 'field-at'], ['field-event']])
  })
})

async function details({ org_id }: Org) {
  const rows = await w.rows(
    "select detail from audit_entries where org_id = $1 and action like 'route%' order by entry_id",
    org_id,
  )
  return rows.map(({ detail }) => detail)
}
