// Who hears of an alert, and when: the rule by itself.
import { describe, expect, test } from '@jest/globals'
import { type Alert, decide, type RoutingDecision, type Rules } from './decide.ts'
import type { Hold } from './hold.ts'
import type { AlertRoute, Quiet } from './route.ts'

const NOON = Date.parse('2026-11-20T12:00:00Z')
const at = (min: number) => new Date(NOON + min * 60_000)
const [MAIL, CHAT, PAGER] = [1, 2, 3]

const ROUTE: AlertRoute = {
  route_id: 1,
  guid: 'r',
  name: 'Ops',
  scope: { all: true },
  events: [],
  severity: null,
  quiet: null,
  delay_sec: 0,
  steps: [{ after_sec: 0, channel_ids: [MAIL] }],
  enabled: true,
}
const ALERT: Alert = {
  type: 'check.down',
  at: at(0),
  subjects: [{ kind: 'check', guid: 'shop', tags: ['web'] }],
  hasIncident: true,
  isAcknowledged: false,
  told: new Map(),
}
const HOLD: Hold = { until: at(60).toISOString(), by: 'maintenance:7', words: 'maintenance' }
const NIGHT: Quiet = { from: '11:00', to: '13:00', days: [], zone: 'UTC', holds_down: false }

/** `now`, `5 delay`, `? dependency`, `never`; for each channel. */
function answers(given: Partial<Alert>, rules: Partial<Rules>, now = 0): string {
  const all = decide({ ...ALERT, ...given }, { routes: [], channel_ids: [MAIL, CHAT, PAGER], ...rules }, at(now))
  return all.map(words).join(', ')
}

function words(answer: RoutingDecision): string {
  const mark = answer.severity === undefined ? '' : `!${answer.severity}`
  if (answer.kind !== 'wait') return `${answer.kind}${mark}`
  return `${answer.until === null ? '?' : (answer.until.getTime() - NOON) / 60_000} ${answer.by}${mark}`
}

const route = (given: Partial<AlertRoute>): AlertRoute => ({ ...ROUTE, ...given })
const ALL = 'now, now, now'
const STEPS = [
  { after_sec: 0, channel_ids: [MAIL] },
  { after_sec: 900, channel_ids: [CHAT, MAIL] },
  { after_sec: 1800, rotation: { channel_ids: [CHAT, PAGER], starts_on: '2026-11-09', at: '09:00', zone: 'UTC' } },
]

describe('matching', () => {
  test.each<[string, Partial<Alert>, Partial<AlertRoute>[], string]>([
    ['no route: every channel', {}, [], ALL],
    ['a disabled route is none', {}, [{ enabled: false }], ALL],
    ['a route that matches', {}, [{}], 'now, never, never'],
    [
      'of an alert about more than it lists, a route for a tag that any of it has',
      { isPartial: true, tags: ['rare'] },
      [{ scope: { tags: ['rare'] } }, { scope: { tags: ['other'] }, steps: [{ after_sec: 0, channel_ids: [CHAT] }] }],
      'now, never, never',
    ],
    [
      'of an alert about more than it lists, when the tags are not known: a route for any tag',
      { isPartial: true },
      [{ scope: { tags: ['rare'] } }],
      'now, never, never',
    ],
    [
      'of an alert about more than it lists, a route for checks that may be among it, and none for heartbeats',
      { isPartial: true },
      [
        { scope: { checks: ['other'], heartbeats: [] } },
        { scope: { checks: [], heartbeats: ['job'] }, steps: [{ after_sec: 0, channel_ids: [CHAT] }] },
      ],
      'now, never, never',
    ],
    ['two routes that match', {}, [{}, { steps: [{ after_sec: 0, channel_ids: [CHAT] }] }], 'now, now, never'],
    [
      'flapping, which is told in place of a DOWN',
      { type: 'check.flapping' },
      [{ events: ['down'] }],
      'now, never, never',
    ],
    ['a tag that it has', {}, [{ scope: { tags: ['db', 'web'] } }], 'now, never, never'],
    ['a tag that it has not', {}, [{ scope: { tags: ['db'] } }], ALL],
    ['the check itself', {}, [{ scope: { checks: ['shop'], heartbeats: [] } }], 'now, never, never'],
    ['a heartbeat of that guid', {}, [{ scope: { checks: [], heartbeats: ['shop'] } }], ALL],
    ['another kind of event', {}, [{ events: ['certificate', 'late'] }], ALL],
    ['its kind of event', {}, [{ events: ['down'] }], 'now, never, never'],
    [
      'monitors have no tags',
      { type: 'monitor.offline', subjects: [], hasIncident: false },
      [{ scope: { tags: ['web'] } }],
      ALL,
    ],
    ['a route without an enabled channel matches nothing', {}, [{ steps: [{ after_sec: 0, channel_ids: [99] }] }], ALL],
    ['the most urgent severity', {}, [{ severity: 'info' }, { severity: 'warning' }], 'now!warning, never, never'],
  ])('%s', (_, alert, routes, expected) => {
    expect(answers(alert, { routes: routes.map(route) })).toBe(expected)
  })
})

describe('when', () => {
  test.each<[string, Partial<Alert>, Partial<AlertRoute>, Partial<Rules>, number, string]>([
    ['a delay', {}, { delay_sec: 300 }, {}, 0, '5 delay, never, never'],
    ['a delay that is over', {}, { delay_sec: 300 }, {}, 5, 'now, never, never'],
    ['news of an end are not delayed', { type: 'check.up' }, { delay_sec: 300 }, {}, 0, ALL],
    ['quiet hours let pass what is down', {}, { quiet: NIGHT }, {}, 0, 'now, never, never'],
    ['or hold it', {}, { quiet: { ...NIGHT, holds_down: true } }, {}, 0, '60 quiet, never, never'],
    [
      'and hold the rest',
      { type: 'check.unmonitored', hasIncident: false },
      { quiet: NIGHT },
      {},
      0,
      '60 quiet, never, never',
    ],
    [
      'quiet hours that begin within the delay',
      { type: 'check.unmonitored', hasIncident: false },
      { delay_sec: 600, quiet: { ...NIGHT, from: '12:05' } },
      {},
      0,
      '60 quiet, never, never',
    ],
    ['a hold', {}, {}, { hold: HOLD }, 0, '60 maintenance:7, never, never'],
    [
      'a hold of which nobody knows the end',
      {},
      {},
      { hold: { ...HOLD, until: null } },
      0,
      '? maintenance:7, never, never',
    ],
    ['a hold that ends within the delay', {}, { delay_sec: 7200 }, { hold: HOLD }, 0, '120 delay, never, never'],
    [
      'a hold, and then quiet hours',
      { type: 'check.unmonitored', hasIncident: false },
      { quiet: { ...NIGHT, from: '13:00', to: '14:00' } },
      { hold: HOLD },
      0,
      '120 quiet, never, never',
    ],
  ])('%s', (_, alert, given, rules, now, expected) => {
    expect(answers(alert, { routes: [route(given)], ...rules }, now)).toBe(expected)
  })

  test('a hold holds also what no route matches', () => {
    expect(answers({}, { hold: HOLD })).toBe(Array(3).fill('60 maintenance:7').join(', '))
  })
})

describe('escalation', () => {
  const routes = [route({ steps: STEPS })]
  const told = new Map([[MAIL, at(0)]])
  test.each<[string, Partial<Alert>, Partial<Rules>, number, string]>([
    // The second week of the rotation: the pager.
    ['step by step', {}, {}, 0, 'now, 15 step, 30 step'],
    ['the first is told', { told }, {}, 1, 'never, 15 step, 30 step'],
    ['the second is due', { told }, {}, 15, 'never, now, 30 step'],
    ['acknowledged', { told, isAcknowledged: true }, {}, 15, 'never, never, never'],
    ['not of what cannot be acknowledged', { hasIncident: false }, {}, 0, 'now, never, never'],
    [
      'after a hold, counted from when it was told',
      { told: new Map([[MAIL, at(60)]]) },
      {},
      61,
      'never, 75 step, 90 step',
    ],
    ['during a hold', {}, { hold: HOLD }, 0, '60 maintenance:7, 75 step, 90 step'],
    ['a hold that began meanwhile', { told }, { hold: HOLD }, 10, 'never, 60 maintenance:7, 60 maintenance:7'],
    ['who is on call cannot be told: the next one is', { told }, { channel_ids: [MAIL, CHAT] }, 30, 'never, now'],
    ['the first step has no channel: the second is the first', {}, { channel_ids: [CHAT, PAGER] }, 0, 'now, 15 step'],
  ])('%s', (_, alert, rules, now, expected) => {
    expect(answers(alert, { routes, ...rules }, now)).toBe(expected)
  })

  test('with a delay, steps count from its end', () => {
    expect(answers({}, { routes: [route({ steps: STEPS, delay_sec: 600 })] })).toBe('10 delay, 25 step, 40 step')
  })
})

describe('recoveries and reminders', () => {
  const audience = new Set([MAIL, CHAT])
  const up = { type: 'check.up' as const, audience }
  const again = { type: 'check.reminder' as const, audience }
  const holding = { ...NIGHT, holds_down: true }
  test.each<[string, Partial<Alert>, Partial<AlertRoute>[], Partial<Rules>, string]>([
    ['a recovery goes to those who were told', up, [], {}, 'now, now, never'],
    ['also when the route no longer names them', up, [{}], {}, 'now, now, never'],
    ['not where its route leaves recoveries out', up, [{ events: ['down'] }], {}, 'never, now, never'],
    ['unless another route has them', up, [{ events: ['down'] }, {}], {}, 'now, now, never'],
    ['nobody knows who was told', { ...up, audience: undefined }, [], {}, ALL],
    ['it waits for a hold', up, [], { hold: HOLD }, '60 maintenance:7, 60 maintenance:7, never'],
    ['it passes quiet hours like the alert', up, [{ quiet: NIGHT }], {}, 'now, now, never'],
    ['or waits for them like the alert', up, [{ quiet: holding }], {}, '60 quiet, now, never'],
    ['unless another route is not quiet', up, [{ quiet: holding }, {}], {}, 'now, now, never'],
    ['a reminder goes to those who were told', again, [], {}, 'now, now, never'],
    ['it is dropped during a hold', again, [], { hold: HOLD }, 'never, never, never'],
    ['and in quiet hours', again, [{ quiet: holding, severity: 'info' }], {}, 'never, now, never'],
    ['a route may leave it out', again, [{ events: ['down', 'up'] }], {}, 'never, now, never'],
    ['it is as urgent as its route says', again, [{ severity: 'info' }], {}, 'now!info, now, never'],
  ])('%s', (_, alert, routes, rules, expected) => {
    expect(answers(alert, { routes: routes.map(route), ...rules })).toBe(expected)
  })
})

test('every answer says why in words', () => {
  const rules = { routes: [route({ steps: STEPS })], channel_ids: [MAIL, CHAT, PAGER, 4] }
  expect(decide(ALERT, rules, at(0)).map(({ why }) => why)).toEqual([
    'route "Ops"',
    'route "Ops", step 2: not acknowledged after 15 min',
    'route "Ops", step 3: not acknowledged after 30 min',
    'no matching route includes this channel',
  ])
})
