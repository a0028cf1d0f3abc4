// The pages of heartbeats, as a member without scripts uses them.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { tellPresence } from '@dogwatch/domain/availability'
import { createHeartbeat, switchHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { sweepHeartbeats } from '@dogwatch/domain/heartbeats/sweep'
import { addMember } from '@dogwatch/domain/organisations/members'
import { openSession } from '@dogwatch/domain/people/sessions'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { Browser } from '../support/browser.ts'
import { type Org, type World, world } from '../support/world.ts'

let w: World
let org: Org
let bob: Browser
let members = 0
beforeAll(async () => {
  w = await world()
})
beforeEach(async () => {
  await w.rows('delete from heartbeats')
  org = await w.org()
  bob = await memberOf(org)
})
afterAll(() => w.close())

/** Signed in, and no owner. */
async function memberOf({ org_id }: Org): Promise<Browser> {
  const { person_id } = await addMember(w.deps, org_id, `bob-${members++}@example.com`)
  return new Browser(w.direct, await openSession(w.deps, person_id, org_id))
}

const HOSTILE = `<script>alert(1)</script><img src=x onerror=alert(1)>"'&`
const HOURLY = {
  name: 'backup',
  interval_sec: 3600,
  grace_sec: 300,
  resend_interval_sec: 0,
  show_on_status_page: false,
}
const deeds = async () =>
  await w.rows(
    "select actor, action, subject from audit_entries where org_id = $1 and actor <> 'operator' order by entry_id",
    org.org_id,
  )
const actions = async () => (await deeds()).map(({ action }) => action)
const fault = () => bob.all('[role=alert]').map((one) => one.text.trim())
const squeeze = (text: string | undefined) => text?.replaceAll(/\s+/g, ' ').trim()
const cells = (row: number) =>
  bob
    .all('tbody tr')
    [row]?.querySelectorAll('td')
    .map((cell) => squeeze(cell.text))
const badge = () => bob.all('.page-head .badge')[0]?.text.trim()
const fact = (term: string) =>
  squeeze(
    bob
      .all('dl.facts > div')
      .find((one) => one.querySelector('dt')?.text === term)
      ?.querySelector('dd')?.text,
  )
const pathHere = () => bob.page.path.split('?')[0] ?? ''
const shownUrl = () => new URL(bob.all('#ping-url')[0]?.text.trim() ?? '').pathname

/** A job calls the URL that the page shows, with this behind it. */
async function call(url: string, suffix = '', body?: string): Promise<number> {
  const answer = await fetch(w.direct + url + suffix, body === undefined ? {} : { method: 'POST', body })
  await answer.text()
  return answer.status
}

/** Time goes by while the service can be called, and overdue heartbeats are found. */
async function pass(seconds: number): Promise<void> {
  await tellPresence(w.deps)
  w.clock.forward(seconds)
  await w.rows('update service_presence set alive_at = $1', w.clock.now())
  await sweepHeartbeats(w.deps)
}

async function make(fields: Record<string, string> = {}): Promise<string> {
  await bob.open('/heartbeats/new')
  await bob.submit('/heartbeats/new', { name: 'backup', interval_sec: '1 h', grace_sec: '5 min', ...fields })
  return pathHere()
}

describe('a new one', () => {
  test('without any, the page says the next step', async () => {
    await bob.open('/heartbeats')
    expect(bob.text()).toContain('No heartbeats yet')
    expect(bob.all('.empty a').map((one) => one.getAttribute('href'))).toEqual(['/heartbeats/new'])
  })

  test('is made, called by the URL that its page shows, and watched from then on', async () => {
    await make({ resend_interval_sec: '1d' })
    expect(bob.text()).toContain('created. Next, add the ping URL to your job.')
    expect([badge(), fact('Last ping'), fact('Next ping due')]).toEqual(['New', 'Never', 'Not set before first ping'])
    expect([fact('Schedule'), fact('Reminder interval'), fact('Public status page')]).toEqual([
      'Every hour (5 min grace period)',
      'Every day',
      'Not shown',
    ])
    const page = pathHere()
    const url = shownUrl()
    expect(await call(url)).toBe(200)
    await bob.open('/heartbeats')
    expect(cells(0)).toEqual([
      'backupEvery hour',
      'Up',
      'Since first ping',
      'just now, 12:00',
      'in 1 h, 13:00',
      'Not measured',
      '',
    ])

    await pass(3600 + 60)
    await bob.open('/heartbeats')
    expect(cells(0)?.slice(1, 5)).toEqual([
      'Late',
      '1 min',
      '1 h 1 min ago, 12:00',
      'Overdue, goes down in 4 min, 13:05',
    ])

    await pass(240)
    await bob.open(page)
    expect([badge(), fact('Time in this state')]).toEqual(['Down', '0 s'])
    await pass(600)
    await bob.open('/heartbeats')
    expect(cells(0)?.slice(1, 3)).toEqual(['Down', '10 min'])

    await call(url)
    await pass(60)
    await bob.open(page)
    expect([badge(), fact('Time in this state')]).toEqual(['Up', '1 min'])
    const incident = bob.all('table').at(-1)?.querySelectorAll('tbody td')
    expect(incident?.map((cell) => squeeze(cell.text))).toEqual([
      '11 min ago, 13:05',
      '10 min',
      'Ping received',
      '',
      '0',
    ])
  })

  test.each([
    ['no name', { name: '' }, '“Name” must not be blank.'],
    ['a name too long', { name: 'x'.repeat(201) }, '“Name” must be 200 characters or fewer.'],
    [
      'an interval in words',
      { interval_sec: 'soon' },
      '“Ping interval” must be a duration, such as 90 s, 5 min, 1 h or 1 d.',
    ],
    ['no interval', { interval_sec: '' }, '“Ping interval” must be a whole number from 1 to 31536000.'],
    ['a grace over a year', { grace_sec: '366 d' }, '“Grace period” must be a whole number from 0 to 31536000.'],
    ['a negative repeat', { resend_interval_sec: '-5' }, /^“Reminder interval” must be a duration, such as/],
  ])('%s is refused, with all that was filled in kept', async (_, wrong, line) => {
    const given = { name: 'weekly', interval_sec: '7d', grace_sec: '2 H', resend_interval_sec: '90', ...wrong }
    await bob.open('/heartbeats/new')
    await bob.submit('/heartbeats/new', given)
    expect(bob.page.status).toBe(400)
    expect(fault()).toEqual([typeof line === 'string' ? line : expect.stringMatching(line)])
    for (const [name, value] of Object.entries(given)) {
      expect(bob.all(`input[name=${name}]`)[0]?.getAttribute('value')).toBe(value)
    }
    expect(await w.rows('select 1 from heartbeats where org_id = $1', org.org_id)).toEqual([])
    expect(await deeds()).toEqual([])
  })
})

describe('plan limits', () => {
  test.each([
    ['free', 1, 'The free plan allows 1 heartbeat. Delete a heartbeat or change the plan.'],
    ['solo', 5, 'The solo plan allows 5 heartbeats. Delete a heartbeat or change the plan.'],
    ['double', 10, 'The double plan allows 10 heartbeats. Delete a heartbeat or change the plan.'],
    ['team', 25, 'The team plan allows 25 heartbeats. Delete a heartbeat or change the plan.'],
  ])('%s: %i are made, and one more is not', async (plan, most, line) => {
    org = await w.org(plan)
    bob = new Browser(w.direct, await openSession(w.deps, org.owner_id, org.org_id))
    for (let i = 0; i < most; i++) {
      await make({ name: `job ${i}` })
      expect(bob.page.status).toBe(200)
    }
    await bob.open('/heartbeats/new')
    await bob.submit('/heartbeats/new', { name: 'one more' })
    expect(bob.page.status).toBe(400)
    expect(fault()).toEqual([line])
    expect(bob.all('input[name=name]')[0]?.getAttribute('value')).toBe('one more')
    await bob.open('/heartbeats')
    expect(bob.all('tbody tr')).toHaveLength(most)
    expect(bob.text()).toContain(`${most} of ${most} heartbeat`)
  })
})

describe('one that is there', () => {
  test('is edited: the form shows what it is, and what is saved counts from its last beat on', async () => {
    const path = await make({ interval_sec: '90061', grace_sec: '0', resend_interval_sec: '' })
    await call(shownUrl())
    await bob.open(`${path}/edit`)
    const values = bob.all('main input[id]').map((one) => one.getAttribute('value'))
    expect(values).toEqual(['backup', '1 d 1 h 1 min 1 s', '', '0 s', '', ''])
    await bob.submit(`${path}/edit`, { name: 'nightly', interval_sec: '30 min', grace_sec: '' })
    expect(bob.text()).toContain('Changes saved.')
    expect([bob.all('h1')[0]?.text, fact('Schedule'), fact('Next ping due')]).toEqual([
      'nightly',
      'Every 30 min (0 s grace period)',
      'in 30 min, 13:46',
    ])
    await pass(1800)
    await bob.open(path)
    expect(badge()).toBe('Down')
  })

  test('the form says everything that is wrong at once, at its field, and begins at the first', async () => {
    await bob.open('/heartbeats/new')
    await bob.submit('/heartbeats/new', {
      name: '',
      interval_sec: 'often',
      grace_sec: '3 y',
      tags: 'a,,' + 'x'.repeat(100),
    })
    expect(bob.page.status).toBe(400)
    const listed = bob.all('[role=alert] li a').map((one) => [one.getAttribute('href'), one.text])
    expect(listed.map(([to]) => to)).toEqual(['#field-name', '#field-interval_sec', '#field-grace_sec', '#field-tags'])
    expect(listed[1]?.[1]).toBe('“Ping interval” must be a duration, such as 90 s, 5 min, 1 h or 1 d.')
    expect(bob.all('[aria-invalid=true]').map((one) => one.getAttribute('name'))).toEqual([
      'name',
      'interval_sec',
      'grace_sec',
      'tags',
    ])
    expect(bob.all('[autofocus]').map((one) => one.getAttribute('name'))).toEqual(['name'])
    expect(bob.all('#field-grace_sec-fault')[0]?.text).toBe('Must be a duration, such as 90 s, 5 min, 1 h or 1 d.')
    expect(bob.all('[name=interval_sec]')[0]?.getAttribute('value')).toBe('often')
  })

  test('follows a cron expression in a zone, is late before it is down, and comes first in the list then', async () => {
    const path = await make()
    await bob.open(`${path}/edit`)
    await bob.submit(`${path}/edit`, {
      schedule: 'cron',
      cron: '0 14 * * *',
      cron_zone: 'Europe/Paris',
      grace_sec: '10 min',
    })
    const [row] = await w.rows('select interval_sec, cron, cron_zone from heartbeats where org_id = $1', org.org_id)
    expect(row).toEqual({ interval_sec: 86_400 + 3600, cron: '0 14 * * *', cron_zone: 'Europe/Paris' })
    // Whoever reads it in another zone reads the times of the job by the clock of the job.
    expect(fact('Next scheduled pings')).toMatch(/^(\d+ \w+, 14:00(; )?){3} \(Europe\/Paris\)$/)
    await bob.open(`${path}/edit`)
    expect(squeeze(bob.all('.next-times')[0]?.text)).toMatch(/^(\d+ \w+, 14:00(; )?){3} \(Europe\/Paris\)$/)
    await bob.submit(`${path}/edit`, { name: '', cron: '30 6 * * *' })
    expect(squeeze(bob.all('.next-times')[0]?.text)).toMatch(/^(\d+ \w+, 06:30(; )?){3} \(Europe\/Paris\)$/)
    const [key] = await w.rows('select token from heartbeat_keys where org_id = $1', org.org_id)
    expect((await fetch(`${w.direct}/ping/${String(key?.token)}`)).status).toBe(200)
    const now = w.clock.now().getTime()
    const next = Math.ceil((now - 13 * 3_600_000) / 86_400_000) * 86_400_000 + 13 * 3_600_000
    await pass((next - now) / 1000 + 60)
    await bob.open(path)
    expect(squeeze(bob.all('main')[0]?.text ?? '')).toMatch(
      /Late: the next ping is overdue\. The heartbeat goes down in 9 min/,
    )
    expect(squeeze(bob.all('main')[0]?.text ?? '')).toContain('0 14 * * * (Europe/Paris) (10 min grace period)')
    await bob.open('/heartbeats')
    expect(bob.all('main .state')[0]?.text).toContain('Late')
    await pass(600)
    await bob.open('/heartbeats')
    expect(bob.all('main .state')[0]?.text).toContain('Down')
  })

  test('is refused with a cron expression that never comes, and keeps what was filled in', async () => {
    const path = await make()
    await bob.open(`${path}/edit`)
    await bob.submit(`${path}/edit`, { schedule: 'cron', cron: '0 0 31 2 *', cron_zone: 'UTC' })
    expect(squeeze(bob.all('main [role=alert]')[0]?.text ?? '')).toMatch(
      /“Cron expression” must match at least once a year/,
    )
    expect(bob.all('main input[name=cron]')[0]?.getAttribute('value')).toBe('0 0 31 2 *')
  })

  test('says where it comes onto the public status page, and an edit leaves it there', async () => {
    const path = await make()
    const marks = () => w.rows('select name, show_on_status_page from heartbeats where org_id = $1', org.org_id)
    expect(await marks()).toEqual([{ name: 'backup', show_on_status_page: false }])
    await w.rows('update heartbeats set show_on_status_page = true where org_id = $1', org.org_id)
    await bob.open(`${path}/edit`)
    expect(
      bob
        .all('main p')
        .map((one) => squeeze(one.text))
        .join(' '),
    ).toContain('To show this heartbeat on the public status page')
    await bob.submit(`${path}/edit`, { name: 'nightly' })
    expect(await marks()).toEqual([{ name: 'nightly', show_on_status_page: true }])
  })

  test('keeps what was filled in when an edit is refused, and is left as it was', async () => {
    const path = await make()
    await bob.open(`${path}/edit`)
    await bob.submit(`${path}/edit`, { name: 'other', grace_sec: 'later' })
    expect(bob.page.status).toBe(400)
    expect(bob.all('input[name=name]')[0]?.getAttribute('value')).toBe('other')
    expect(bob.all('input[name=grace_sec]')[0]?.getAttribute('value')).toBe('later')
    await bob.open(path)
    expect(bob.all('h1')[0]?.text).toBe('backup')
  })

  test('is paused and resumed: what it said before no longer counts', async () => {
    const path = await make()
    await call(shownUrl())
    await bob.open(path)
    await bob.submit(`${path}/pause`)
    expect([badge(), fact('Next ping due')]).toEqual(['Paused', 'Not set while paused'])
    await pass(86_400)
    await bob.open('/heartbeats')
    expect(cells(0)?.slice(1, 3)).toEqual(['Paused', '–'])
    await bob.open(path)
    await bob.submit(`${path}/resume`)
    expect([badge(), fact('Last ping')]).toEqual(['New', 'Never'])
  })

  test('says when it was disabled by the platform', async () => {
    const path = await make()
    await switchHeartbeat(w.deps, path.split('/')[2] ?? '', 'platform_enabled', false)
    await bob.open(path)
    expect(bob.text()).toContain('Disabled by Dogwatch. Pings are recorded')
  })

  test('gets another ping URL: the old one is unknown from then on', async () => {
    const path = await make()
    const old = shownUrl()
    await bob.submit(`${path}/rotate`)
    expect(await call(old)).toBe(404)
    expect(shownUrl()).not.toBe(old)
    expect(await call(shownUrl())).toBe(200)
  })

  test('is deleted only after it was asked on a page of its own', async () => {
    const path = await make()
    const url = shownUrl()
    expect(bob.all(`form[action="${path}/delete"]`)).toEqual([])
    await bob.open(`${path}/delete`)
    expect(bob.all('h1')[0]?.text).toBe('Delete “backup”?')
    expect(await call(url)).toBe(200)
    await bob.submit(`${path}/delete`)
    expect([pathHere(), bob.text().includes('backup deleted.')]).toEqual(['/heartbeats', true])
    expect(await call(url)).toBe(404)
    expect((await bob.open(path)).status).toBe(404)
  })

  test('leaves a trace of each change, which says who, and nothing secret', async () => {
    const path = await make()
    await bob.open(`${path}/edit`)
    await bob.submit(`${path}/edit`, { name: 'nightly' })
    for (const verb of ['pause', 'resume', 'rotate']) await bob.submit(`${path}/${verb}`)
    await bob.open(`${path}/delete`)
    await bob.submit(`${path}/delete`)
    expect(await actions()).toEqual(
      ['create', 'edit', 'pause', 'resume', 'rotate', 'delete'].map((verb) => `heartbeat.${verb}`),
    )
    const entries = await w.rows('select a::text from audit_entries a where org_id = $1', org.org_id)
    expect(JSON.stringify(entries)).not.toContain('dogwatch_beat')
    const edits = await w.rows(
      "select detail from audit_entries where org_id = $1 and action = 'heartbeat.edit'",
      org.org_id,
    )
    expect(edits).toEqual([{ detail: { changed: ['name'] } }])
    expect((await deeds()).every(({ actor }) => actor === `bob-${members - 1}@example.com`)).toBe(true)
  })
})

describe('recent calls', () => {
  test('are listed newest first, with kind, exit code, run time, run and log', async () => {
    const path = await make()
    const url = shownUrl()
    await call(url, '/start?rid=a')
    w.clock.forward(75)
    await call(url, '/7?rid=a', 'disk full\nat /dev/sda1')
    await call(url, '/fail')
    await call(url, '/log', 'a note')
    await call(url)
    await bob.open(path)
    expect([0, 1, 2, 3, 4].map((row) => cells(row)?.filter((_, column) => column !== 1))).toEqual([
      ['5', 'Success', '–', '–', '–'],
      ['4', 'Log', '–', '–', 'a note'],
      ['3', 'Failure', '–', '–', '–'],
      ['2', 'Failure, exit code 7', '1 min 15 s', 'a', 'disk full at /dev/sda1'],
      ['1', 'Start', '–', 'a', '–'],
    ])
    expect(bob.all('tbody pre')[1]?.text).toBe('disk full\nat /dev/sda1')
    await bob.open('/heartbeats')
    expect(cells(0)?.[5]).toBe('1 min 15 s')
  })

  test('are twenty at first, and all that are kept on demand', async () => {
    const path = await make()
    const url = shownUrl()
    for (let i = 0; i < 25; i++) await call(url, '/log', `note ${i}`)
    await bob.open(path)
    expect([bob.all('tbody pre').length, cells(0)?.[0], cells(19)?.[0]]).toEqual([20, '25', '6'])
    await bob.open(`${path}?calls=all`)
    expect(bob.all('tbody pre')).toHaveLength(25)
  })

  test('may say what they like: nothing of it is more than text', async () => {
    const path = await make({ name: HOSTILE })
    const url = shownUrl()
    await call(url, `/3?rid=${encodeURIComponent(HOSTILE)}`, `${HOSTILE}</pre></td>`)
    for (const shown of [path, '/heartbeats', `${path}/edit`, `${path}/delete`]) {
      await bob.open(shown)
      expect(bob.all('script').map((one) => one.getAttribute('src') ?? 'inline')).toEqual([
        expect.stringMatching(/^\/assets\//),
      ])
      expect(bob.all('img, iframe, [onerror]')).toEqual([])
    }
    await bob.open(path)
    expect(bob.all('h1')[0]?.text).toBe(HOSTILE)
    expect(cells(0)?.[4]).toBe(HOSTILE)
    expect(bob.all('tbody pre')[0]?.text).toBe(`${HOSTILE}</pre></td>`)
    await bob.submit(`${path}/pause`)
    expect(bob.all('.notice[role=status]')[0]?.text).toBe(`${HOSTILE} paused.`)
  })
})

describe('lines to copy', () => {
  test('the page has them for cron, systemd, a script and GitHub Actions', async () => {
    await make()
    const url = bob.all('#ping-url')[0]?.text.trim() ?? ''
    expect(url).toMatch(/^http:\/\/dogwatch\.example\/ping\/dogwatch_beat_\w+$/)
    for (const id of ['cron', 'systemd', 'curl']) expect(bob.all(`#recipe-${id}`)[0]?.text).toContain(`${url}/`)
    expect(bob.all('#recipe-cron')[0]?.text.trim()).toMatch(/^0 \* \* \* \* /)
    expect(bob.all('#recipe-github-actions')[0]?.text).toContain('if: always()')
  })

  const hasCurl = existsSync('/usr/bin/curl')
  const withCurl = hasCurl ? test : test.skip
  withCurl.each([
    ['cron', 'exit 3', 'Failure, exit code 3', '–'],
    ['cron', 'exit 0', 'Success', '–'],
    ['curl', 'echo copied; echo "full <disk>" >&2; exit 28', 'Failure, exit code 28', 'copied full <disk>'],
  ])(
    `those for %s do what they say when the job ends with %s${hasCurl ? '' : ' (left out: there is no curl)'}`,
    async (id, job, what, log) => {
      const path = await make()
      const line =
        bob
          .all(`#recipe-${id}`)[0]
          ?.text.trim()
          .replace(/^(\S+ ){5}(?=\/usr)/, '') ?? ''
      const script = `job() { (${job}); }\n${line.replaceAll('http://dogwatch.example', w.direct)}`
      await promisify(execFile)('sh', ['-c', script.replaceAll('/usr/local/bin/job', 'job')], { timeout: 120_000 })
      await bob.open(path)
      expect([cells(0)?.[2], cells(0)?.[5]]).toEqual([what, log])
    },
  )
})

describe('what is not there', () => {
  test.each(['', '/edit', '/delete'])(
    "another org's heartbeat, or none: /heartbeats/...%s is a 404",
    async (suffix) => {
      const other = await w.org()
      const { guid } = await createHeartbeat(w.deps, other.org_id, HOURLY)
      for (const named of [guid, 'unknown', '%00', '%ED%A0%80']) {
        expect({ named, status: (await bob.open(`/heartbeats/${named}${suffix}`)).status }).toEqual({
          named,
          status: 404,
        })
      }
    },
  )

  test("another org's heartbeat is not touched by any form", async () => {
    const other = await w.org()
    const { guid, token } = await createHeartbeat(w.deps, other.org_id, HOURLY)
    const path = await make()
    const csrf = bob.all('input[name=csrf]')[0]?.getAttribute('value') ?? ''
    const before = await w.rows('select h::text, k::text from heartbeats h join heartbeat_keys k using (guid)')
    for (const verb of ['edit', 'pause', 'resume', 'rotate', 'delete']) {
      const { status } = await bob.post(`/heartbeats/${guid}/${verb}`, { csrf, name: 'mine', interval_sec: '60' })
      expect({ verb, status }).toEqual({ verb, status: 404 })
    }
    expect(await w.rows('select h::text, k::text from heartbeats h join heartbeat_keys k using (guid)')).toEqual(before)
    await bob.open('/heartbeats')
    expect(bob.page.html).not.toContain(guid)
    expect(bob.page.html).not.toContain(token)
    expect(bob.all('tbody a').map((one) => one.getAttribute('href'))).toEqual([path])
  })
})
