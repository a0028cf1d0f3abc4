// The list of checks, without scripts: found, filtered, sorted, and changed several at a time.

import { createWindow } from '@dogwatch/domain/maintenance/edit'
import { addMember } from '@dogwatch/domain/organisations/members'
import { setLimitsGiven } from '@dogwatch/domain/organisations/organisation'
import { openSession } from '@dogwatch/domain/people/sessions'
import { describe, expect, test } from '@jest/globals'
import { Browser } from '../support/browser.ts'
import { ago, bob, deeds, fault, org, runners, stored, w } from '../support/check-pages.ts'
import { result } from '../support/world.ts'

const names = () => bob.all('tbody td.name > a:first-child').map((one) => one.text)
const listed = async (query = '') => {
  await bob.open(`/checks${query}`)
  return names()
}
const send = (what: string, guids: readonly string[], fields: Record<string, string | readonly string[]> = {}) =>
  bob.submit('/checks/bulk', { do: what, check: guids, ...fields })
const noticed = () => bob.all('.notice').map((one) => one.text.trim())

describe('finding', () => {
  test('checks are found by name, target, tag, kind, state and monitor, and the address says how', async () => {
    const [attic, cellar] = [await w.monitor(org, 'attic'), await w.monitor(org, 'cellar')]
    const [shop = '', mail = '', gate = '', inner = ''] = await w.checks(
      org,
      [
        { name: 'shop', url: 'https://user:hunter2@shop.example/cart?token=secret', tags: ['web', 'prod'] },
        { name: 'mail', url: 'tcp://mail.example:25', tags: ['prod'] },
        { name: 'gate', url: 'tls://gate.example:443', enabled: false },
        { name: 'inner', url: '', restricted: true },
      ],
      [attic.id],
    )
    await w.rows('update assignments set active = false where guid = $1', gate)
    await attic.client.upload([
      result(shop, { ran_at: ago(60), latency_ms: 80 }),
      result(mail, { ran_at: ago(50), success: false, error: 'refused' }),
      result(inner, { ran_at: ago(40), latency_ms: 200 }),
    ])
    await w.judgeLate()
    const at = w.clock.now().toISOString().slice(0, 16)
    await createWindow(
      w.deps,
      org.org_id,
      {
        name: 'night',
        scope: { checks: [shop], heartbeats: [] },
        starts_at: at,
        duration_sec: 3600,
        zone: 'UTC',
        rule: null,
        is_public: false,
      },
      { person_id: org.owner_id, email: 'owner@example.com', impersonator_email: null },
    )
    expect(await listed()).toEqual(['mail', 'inner', 'shop', 'gate'])
    expect(bob.all('.target').map((one) => one.text)).toEqual([
      'mail.example:25',
      'Private definition',
      'shop.example/cart',
      'gate.example:443',
    ])
    expect(bob.page.html).not.toMatch(/hunter2|token=secret/)
    expect(bob.all('.chips a').map((one) => one.text.replace(/\s+/g, ' '))).toEqual([
      'All',
      'Down 1',
      'Up 2',
      'Paused 1',
      'Maintenance 1',
    ])
    for (const [query, found] of [
      ['?q=SHOP', ['shop']],
      ['?q=mail.example', ['mail']],
      ['?q=prod', ['mail', 'shop']],
      ['?q=hunter2', []],
      ['?tag=prod', ['mail', 'shop']],
      ['?kind=tls', ['gate']],
      ['?kind=private', ['inner']],
      ['?state=down', ['mail']],
      ['?state=up,paused', ['inner', 'shop', 'gate']],
      ['?state=maintenance', ['shop']],
      [`?monitor=${attic.id}`, ['mail', 'inner', 'shop']],
      [`?monitor=${cellar.id}`, []],
      ['?monitor=%00', ['mail', 'inner', 'shop', 'gate']],
      ['?sort=name', ['gate', 'inner', 'mail', 'shop']],
      ['?sort=latency', ['inner', 'shop', 'gate', 'mail']],
      ['?sort=change&state=down,up', ['mail', 'inner', 'shop']],
      ['?group=tag', ['mail', 'shop', 'shop', 'inner', 'gate']],
      ['?tag=prod&group=tag&sort=name', ['mail', 'shop']],
      ['?page=7&sort=nonsense&state=nonsense&kind=nonsense', ['mail', 'inner', 'shop', 'gate']],
    ] as const) {
      expect({ query, found: await listed(query) }).toEqual({ query, found })
    }
    // Of checks that were watched for long, no results are read but those of the rows that are shown.
    const table = async () => {
      await bob.open('/checks')
      // How long they were watched follows from their schedules.
      const rows = bob.all('tbody tr').map((one) => one.structuredText.replaceAll(/ over \d+ min/g, ''))
      return [bob.all('.chips a').map((one) => one.text), rows]
    }
    const fresh = await table()
    await w.rows(
      `insert into check_schedules (org_id, check_id, since, interval_sec, run_by, watched_since)
       select org_id, check_id, $2::timestamptz, interval_sec, 0, $2::timestamptz from checks where org_id = $1`,
      org.org_id,
      ago(7200),
    )
    expect(await table()).toEqual(fresh)
    await listed('?group=tag')
    expect(bob.all('tr.group').map((one) => one.text)).toEqual(['prod', 'web', 'Untagged'])
    await listed('?q=nothing-like-it')
    expect(bob.text()).toContain('No checks match these filters.')
  })

  test('the slowest are those with the highest average of 24 hours, which is shown; what nobody watches comes last', async () => {
    const monitor = await w.monitor(org)
    const [slow = '', quick = '', lost = ''] = await w.checks(
      org,
      [{ name: 'slow' }, { name: 'quick' }, { name: 'lost' }],
      [monitor.id],
    )
    await monitor.client.upload([
      ...[900, 700].map((latency_ms, n) => result(slow, { ran_at: ago(7200 + n * 60), latency_ms })),
      result(slow, { ran_at: ago(40), latency_ms: 20 }),
      ...[50, 60].map((latency_ms, n) => result(quick, { ran_at: ago(7200 + n * 60), latency_ms })),
      result(quick, { ran_at: ago(30), latency_ms: 400 }),
      result(lost, { ran_at: ago(20), latency_ms: 5000 }),
    ])
    await w.rows('update assignments set active = false where guid = $1', lost)
    expect(await listed('?sort=latency')).toEqual(['slow', 'quick', 'lost'])
    expect(bob.all('th').at(-1)?.text).toBe('Average (24 h)')
    expect(bob.all('td[data-label="Average (24 h)"]').map((one) => one.text.trim())).toEqual([
      '540 ms',
      '170 ms',
      '5000 ms',
    ])
    await bob.open('/')
    expect(bob.text().replaceAll(/\s+/g, ' ')).toMatch(
      /Not monitored .*lost: not monitored for 20 s, since [^(]*:\d\d \(no enabled monitor is assigned\)/,
    )
    await bob.open(`/checks/${slow}`)
    await bob.submit(`/checks/${slow}/mute`, { for: '1h' })
    await bob.open('/checks')
    expect(bob.all('td.name .care-mark').map((one) => one.text.replaceAll(/\s+/g, ' '))).toEqual([
      expect.stringMatching(/^Muted by bob-/),
    ])
    await bob.open(`/checks/${quick}`)
    await bob.submit(`/checks/${quick}/pause`)
    await bob.open(`/checks/${quick}`)
    expect(bob.all('[aria-label="Status by monitor"] tbody .state')).toHaveLength(0)
    expect(bob.all('[aria-label="Status by monitor"] tbody td')[1]?.text).toBe('Passing before the pause')
  })

  test('of many checks a page shows a hundred; all that match can be changed, if they are still as many', async () => {
    await setLimitsGiven(w.deps, org.org_id, { max_checks: 0 })
    await w.checks(
      org,
      Array.from({ length: 101 }, (_, n) => ({ name: `check ${n}`, tags: ['many'] })),
      'none',
    )
    await listed('?sort=name&tag=many')
    expect(names()).toHaveLength(100)
    await send('add-tags', [], { tags: 'Blue', all_matching: 'on', matching: '101' })
    expect(noticed()[0]).toBe('Tags added to 101 checks.')
    expect(bob.page.path).toBe('/checks?tag=many&sort=name')
    const [count] = await w.rows(
      "select count(*)::integer as n from checks where org_id = $1 and 'blue' = any(tags)",
      org.org_id,
    )
    expect(count).toEqual({ n: 101 })
    expect(await listed('?sort=name&tag=blue&page=2')).toEqual(['check 99'])
    const owner = new Browser(w.direct, await openSession(w.deps, org.owner_id, org.org_id))
    await owner.open('/settings/audit')
    expect(owner.text()).toMatch(
      /changed the tags of 101 checks\s*Details\s*action.*guids: \[.*\] and 96 more, changed: \["tags"\]/,
    )
    await send('pause', [], { all_matching: 'on', matching: '99' })
    expect([bob.page.status, fault()]).toEqual([
      400,
      [
        'No check was changed, because the list now contains 101 checks instead of 99. Review the selection and try again.',
      ],
    ])
  })
})

test('whoever may only read finds checks, and is offered nothing to change them with', async () => {
  const { person_id } = await addMember(w.deps, org.org_id, `reader-${org.org_id}@example.com`, 'read_only')
  const reader = new Browser(w.direct, await openSession(w.deps, person_id, org.org_id))
  const [guid = ''] = await w.checks(org, [{ name: 'shop' }, { name: 'gone' }], 'none')
  await listed()
  await send('delete', [guid])
  await reader.open('/checks')
  expect(reader.all('td.name > a').map((one) => one.text)).toEqual(['gone'])
  expect(reader.text()).toMatch(/shop deleted by \S+ just now/)
  expect(reader.all('main form[method=post], input[name=check], main button').map((one) => one.text.trim())).toEqual([
    'Apply filters',
    'Keyboard shortcuts ?',
    'Close',
  ])
})

describe('changing several checks', () => {
  test('pauses, resumes, tags and sets the interval of those that are selected, with one entry in the audit log each', async () => {
    const guids = await w.checks(org, [{ name: 'a', tags: ['old'] }, { name: 'b' }, { name: 'c' }], 'none')
    const [a = '', b = '', c = ''] = guids
    await listed('?sort=name')
    await send('pause', [a, b])
    expect(bob.page.path).toMatch(/^\/checks\?sort=name&undo=[\w-]+$/)
    expect(noticed()).toEqual(['2 checks paused.', 'Undo pausing 2 checks'])
    expect([(await stored(a))?.enabled, (await stored(b))?.enabled, (await stored(c))?.enabled]).toEqual([
      false,
      false,
      true,
    ])
    await send('resume', [a, b])
    await send('add-tags', [a, b], { tags: 'Web, prod' })
    await send('remove-tags', [a], { tags: 'old, prod' })
    await send('set-interval', [a, c], { interval_sec: '300' })
    expect([(await stored(a))?.tags, (await stored(b))?.tags, (await stored(c))?.tags]).toEqual([
      ['web'],
      ['prod', 'web'],
      [],
    ])
    expect([(await stored(a))?.interval_sec, (await stored(b))?.interval_sec]).toEqual([300, 60])
    expect(await deeds()).toMatchObject([
      { action: 'check.pause', subject: '2 checks', detail: { guids: expect.arrayContaining([a, b]) } },
      { action: 'check.resume', subject: '2 checks' },
      { action: 'check.edit', subject: '2 checks', detail: { changed: ['tags'] } },
      { action: 'check.edit', subject: 'a', detail: { changed: ['tags'] } },
      { action: 'check.edit', subject: '2 checks', detail: { changed: ['interval_sec'] } },
    ])
  })

  test('assigns monitors: beside those that they have, these alone, or all', async () => {
    const [one, two] = [await w.monitor(org), await w.monitor(org)]
    const shared = await w.monitor(null)
    const [a = '', b = ''] = await w.checks(org, [{ name: 'a' }, { name: 'b', restricted: true }], [one.id])
    await listed()
    await send('assign', [a, b], { how: 'add', monitors: [two.id] })
    expect([await runners(a), await runners(b)]).toEqual([[one.id, two.id].toSorted(), [one.id, two.id].toSorted()])
    await send('assign', [a, b], { how: 'replace', monitors: [two.id] })
    expect([await runners(a), await runners(b)]).toEqual([[two.id], [two.id]])
    await send('assign', [a, b], { how: 'add', monitors: [shared.id] })
    expect([bob.page.status, fault()[0]]).toEqual([
      400,
      expect.stringContaining(`must not include the shared monitor ${shared.id}`),
    ])
    expect(await runners(a)).toEqual([two.id])
    await send('assign', [a], { how: 'all', monitors: [one.id] })
    expect([bob.page.status, fault()[0]]).toEqual([
      400,
      'Select either “All monitors” or individual monitors, not both.',
    ])
    await send('assign', [a, b], { how: 'all', monitors: [] })
    expect([(await stored(a))?.all_monitors, (await runners(a)).includes(shared.id), await runners(b)]).toEqual([
      true,
      true,
      [one.id, two.id].toSorted(),
    ])
  })

  test('is all or nothing, and keeps what was selected and typed when it is refused', async () => {
    const free = await w.org('free')
    const browser = new Browser(w.direct, await openSession(w.deps, free.owner_id, free.org_id))
    const [a = '', b = ''] = await w.checks(
      free,
      [{ interval_sec: 120 }, { interval_sec: 120, tags: Array.from({ length: 20 }, (_, n) => `t${n}`) }],
      'none',
    )
    const other = await w.org()
    const [theirs = ''] = await w.checks(other, [{ name: 'theirs' }], 'none')
    await browser.open('/checks')
    const refused = async (what: string, guids: readonly string[], fields: Record<string, string> = {}) => {
      await browser.submit('/checks/bulk', { do: what, check: guids, ...fields })
      return [browser.page.status, browser.all('[role=alert]')[0]?.text.trim()]
    }
    expect(await refused('set-interval', [a, b], { interval_sec: '60' })).toEqual([
      400,
      '“Interval” must be at least 120 on the free plan.',
    ])
    expect(browser.all('input[name=check][checked]')).toHaveLength(2)
    expect(browser.all('#bulk-interval')[0]?.getAttribute('value')).toBe('60')
    expect(await refused('set-interval', [a], { interval_sec: 'soon' })).toEqual([
      400,
      '“Interval” must be a whole number from 1 to 2678400.',
    ])
    expect(await refused('add-tags', [a, b], { tags: 'one more' })).toEqual([
      400,
      expect.stringContaining('must have 20 tags or fewer'),
    ])
    expect(await refused('add-tags', [a], { tags: ' , ' })).toEqual([400, '“Tags” must name at least one tag.'])
    expect(await refused('pause', [])).toEqual([400, 'Select at least one check.'])
    expect(await refused('dance', [a])).toEqual([400, 'Choose an action for the selected checks.'])
    expect(await refused('pause', [a, theirs])).toEqual([400, expect.stringContaining('nothing was changed')])
    expect(await refused('delete', [a, 'nonsense\0'])).toEqual([400, expect.stringContaining('nothing was changed')])
    expect(await stored(theirs)).toMatchObject({ enabled: true, deleted: false })
    expect(await w.rows("select from audit_entries where org_id = $1 and actor <> 'operator'", free.org_id)).toEqual([])
  })

  test('deletes, and the list offers to undo it', async () => {
    const monitor = await w.monitor(org)
    const [a = '', b = '', c = ''] = await w.checks(org, [{ name: 'a' }, { name: 'b' }, { name: 'c' }], 'all')
    await monitor.client.upload([a, b, c].map((guid) => result(guid, { ran_at: ago(60) })))
    await listed('?sort=name')
    await send('delete', [a, b])
    expect([names(), bob.page.path]).toEqual([['c'], '/checks?sort=name'])
    expect(noticed()).toEqual([
      '2 checks deleted. You can undo this for 10 minutes.',
      expect.stringMatching(/^a, b deleted by bob-\S+ just now, 12:00\. You can undo this until 12:10\./),
    ])
    await bob.submit('/checks/undo')
    expect([names(), noticed(), bob.page.path]).toEqual([['a', 'b', 'c'], ['2 checks restored.'], '/checks?sort=name'])
    expect(bob.all('td.number').map((one) => one.text)).toContain('100% up over 1 min')
    await send('delete', [a])
    w.clock.forward(601)
    await bob.submit('/checks/undo')
    expect([bob.page.status, fault()]).toEqual([400, ['This deletion can no longer be undone.']])
    w.clock.forward(-601)
  })
})

test('undo takes a pause or a resumption back for exactly those that it changed', async () => {
  const [a = '', b = '', c = ''] = await w.checks(org, [{ name: 'a' }, { name: 'b' }, { name: 'c' }], 'none')
  const enabled = async () => Promise.all([a, b, c].map(async (guid) => (await stored(guid))?.enabled))
  await listed()
  await send('pause', [a])
  await send('pause', [a, b])
  expect(await enabled()).toEqual([false, false, true])
  await bob.submit('/checks/undo')
  expect([noticed(), await enabled()]).toEqual([['Change undone. 1 check resumed.'], [false, true, true]])
  await send('resume', [a, c])
  const here = bob.page.path
  await bob.submit('/checks/undo')
  expect([noticed(), await enabled()]).toEqual([['Change undone. 1 check paused.'], [false, true, true]])
  // Nothing changes, so there is nothing to undo; and nothing is offered after ten minutes.
  await send('pause', [a])
  expect(noticed()).toEqual(['1 check paused.'])
  w.clock.forward(601)
  await bob.open(here)
  expect(noticed()).toEqual([])
})
