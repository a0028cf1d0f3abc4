// The pages of monitors, as a member without scripts uses them.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { tellPresence } from '@dogwatch/domain/availability'
import { createEnrollmentToken } from '@dogwatch/domain/monitors/enrollment-tokens'
import { sweepPresence } from '@dogwatch/domain/monitors/presence'
import { switchMonitor } from '@dogwatch/domain/monitors/switches'
import { addMember } from '@dogwatch/domain/organisations/members'
import { openSession } from '@dogwatch/domain/people/sessions'
import { MonitorClient } from '@dogwatch/monitor-sdk'
import { hashToken } from '@dogwatch/runtime/tokens'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { Browser } from '../support/browser.ts'
import { faultyFields } from '../support/console.ts'
import { eventually, type Monitor, type Org, PLACE, type World, world } from '../support/world.ts'

let w: World
let org: Org
let bob: Browser
let members = 0
beforeAll(async () => {
  w = await world()
})
beforeEach(async () => {
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
const AGENT = fileURLToPath(new URL('../../../agent/bin/dogwatch-agent.js', import.meta.url))
const TOKEN = /dogwatch_enroll_\w+/
const deeds = async () =>
  w.rows(
    "select action, subject, detail from audit_entries where org_id = $1 and actor <> 'operator' order by entry_id",
    org.org_id,
  )
const actions = async () => (await deeds()).map(({ action }) => action)
const fault = () => bob.all('[role=alert]').map((one) => one.text.trim())
const squeeze = (text: string | undefined) => text?.replaceAll(/\s+/g, ' ').trim()
const cells = (row: number, table = 0) =>
  bob
    .all('table')
    [table]?.querySelectorAll('tbody tr')
    [row]?.querySelectorAll('td')
    .map((cell) => squeeze(cell.text))
const fact = (term: string) =>
  squeeze(
    bob
      .all('dl.facts > div')
      .find((one) => one.querySelector('dt')?.text === term)
      ?.querySelector('dd')?.text,
  )
const block = (id: string) => bob.all(`#${id}`)[0]?.text.trim() ?? ''
const shownToken = () => TOKEN.exec(block('shell'))?.[0] ?? ''
const enroll = (token: string, id?: string) =>
  new MonitorClient({ baseUrl: w.url, token, retries: 0 }).enroll({ ...PLACE, ...(id !== undefined && { id }) })

async function add(fields: Record<string, string> = {}): Promise<void> {
  await bob.open('/monitors/new')
  await bob.submit('/monitors/new', { ...PLACE, ...fields })
}

/** Time goes by while the service can be called, and silent monitors are found. */
async function pass(seconds: number): Promise<void> {
  await tellPresence(w.deps)
  w.clock.forward(seconds)
  await w.rows('update service_presence set alive_at = $1', w.clock.now())
  await sweepPresence(w.deps)
}

describe('adding one', () => {
  test('without any, the page says the next step', async () => {
    await bob.open('/monitors')
    expect(bob.all('.empty a').map((one) => one.getAttribute('href'))).toEqual(['/monitors/new'])
    expect(bob.text()).toContain('No shared monitors available.')
  })

  test('shows commands with a token that lets monitors in for 24 hours, and shows it this once', async () => {
    await add()
    expect(bob.page.status).toBe(200)
    const token = shownToken()
    expect(block('shell')).toContain('curl -fsSLo "$f" http://dogwatch.example/install/install.sh')
    expect(block('shell')).toContain("--name 'rack 4' --region eu-central --country DE --city Berlin")
    expect(squeeze(bob.all('div.notice')[0]?.text)).toContain('The token expires in 1 d')
    expect(await actions()).toEqual(['enrollment_token.create'])
    expect(JSON.stringify(await w.rows('select a::text from audit_entries a'))).not.toContain('dogwatch_enroll')

    const { monitor_id } = await enroll(token)
    await bob.open('/monitors')
    expect(bob.page.html).not.toContain(token)
    expect(cells(0)?.slice(0, 3)).toEqual(['rack 4 Berlin, DE (eu-central)', 'Never seen', 'Never'])
    expect(bob.all('tbody a')[0]?.getAttribute('href')).toBe(`/monitors/${monitor_id}`)

    w.clock.forward(86_400)
    await expect(enroll(token)).rejects.toMatchObject({ status: 401 })
  })

  test('the command, run as it stands, brings a real agent online, which the page that waits shows', async () => {
    const main = fileURLToPath(new URL('../dist/main.js', `file://${AGENT}`))
    if (!existsSync(main))
      throw new Error('nothing is built: run node_modules/.bin/tsc -b packages/agent/tsconfig.build.json')
    await w.checks(org, [{ name: 'shop', restricted: true }], 'all')
    await add({ name: `rack "5" o'clock` })
    const waiting = bob.all('#waiting')[0]?.getAttribute('data-poll') ?? ''
    const folder = mkdtempSync(join(tmpdir(), 'dogwatch-monitors-'))
    // The installer itself is proven elsewhere; in its place the agent that was built is enrolled and started.
    const flags = `--server ${w.direct} --state-dir ./state --connectivity off`
    const start = `exec "${process.execPath}" "${AGENT}" ${flags} "$@"`
    const standIns = `curl() { :; }; sh() { shift; export DOGWATCH_ENROLLMENT_TOKEN=$(cat); ${start}; }\n`
    const script = standIns + block('shell')
    const agent = spawn('sh', ['-c', script], { cwd: folder, stdio: 'ignore', timeout: 120_000, killSignal: 'SIGKILL' })
    const ended = once(agent, 'close')
    try {
      await eventually(async () => {
        await bob.open('/monitors')
        return cells(0)?.[1] === 'Online'
      }, 'the agent is online')
      expect(cells(0)?.[0]).toBe(`rack "5" o'clock Berlin, DE (eu-central)`)
      await bob.open(waiting)
      expect(squeeze(bob.all('#waiting')[0]?.text)).toContain(
        `Online rack "5" o'clock, Berlin, DE (eu-central)Checks: shop.`,
      )
      expect(bob.all('[data-poll]')).toEqual([])
    } finally {
      agent.kill()
      await ended
      rmSync(folder, { recursive: true })
    }
  })

  test.each([
    ['container', 'docker run --rm -i -v dogwatch-agent:/var/lib/dogwatch-agent dogwatch-agent enroll --name'],
    ['macos', 'curl -fsSLo "$f" http://dogwatch.example/install/install.sh'],
    ['own', 'http://dogwatch.example/monitor-api/v1/enroll'],
  ])('for %s there is a command of its own', async (system, words) => {
    await add({ system })
    expect(block('shell')).toContain(words)
    expect(await enroll(shownToken())).toHaveProperty('monitor_id')
  })

  test('for Windows without an archive, the page says how to make one, and creates no token', async () => {
    await add({ system: 'windows' })
    expect([bob.page.status, block('shell')]).toEqual([
      404,
      'npm run bundle -w @dogwatch/agent -- --platform win32-x64',
    ])
    expect(await actions()).toEqual([])
  })

  test('the page that waits shows the monitors that enroll with its own token, and no others', async () => {
    await w.monitor(org, 'earlier')
    w.clock.forward(60)
    await add()
    const [token, waiting] = [shownToken(), bob.all('#waiting')[0]?.getAttribute('data-poll') ?? '']
    // The same person adds another monitor meanwhile, in another tab.
    await add({ name: 'rack 5' })
    const [second, alsoWaiting] = [shownToken(), bob.all('#waiting')[0]?.getAttribute('data-poll') ?? '']
    const { monitor_id } = await enroll(second)
    await w.monitor(await w.org(), 'theirs')
    const shown = async (path = waiting) => {
      await bob.open(path)
      return squeeze(bob.all('#waiting')[0]?.text)
    }
    expect(await shown()).toBe('Waiting for the monitor to enroll…Refresh')
    await enroll(token)
    expect(await shown()).toContain('Never seen rack 4, Berlin, DE (eu-central)No checks assigned')
    expect(await shown(alsoWaiting)).not.toContain('Waiting')
    expect(bob.all('#waiting a').map((link) => link.getAttribute('href'))).toContain(`/monitors/${monitor_id}`)
    await w.rows('update monitors set key_hash = null where id = $1', monitor_id)
    await enroll(token, monitor_id)
    expect(await shown(alsoWaiting)).toBe('Waiting for the monitor to enroll…Refresh')
    const other = hashToken((await createEnrollmentToken(w.deps, (await w.org()).org_id)).token).toString('hex')
    for (const hash of [other, '', 'zz', "'"]) {
      expect(await shown(`/monitors/enrolling?token=${encodeURIComponent(hash)}`)).toMatch(/^Waiting for the monitor/)
    }
  })

  test.each([
    ['region', ' '],
    ['country', ''],
    ['city', 'x'.repeat(201)],
    ['name', 'x'.repeat(201)],
  ])('a bad %s is refused before a token is made, with what was filled in kept', async (field, value) => {
    await add({ [field]: value })
    expect(bob.page.status).toBe(400)
    expect(fault()).toHaveLength(1)
    expect(fault()[0]?.toLowerCase()).toMatch(new RegExp(`^“${field}” must `))
    for (const [name, given] of Object.entries({ ...PLACE, [field]: value.trim() })) {
      expect(bob.all(`input[name=${name}]`)[0]?.getAttribute('value')).toBe(given)
    }
    expect(await w.rows('select 1 from enrollment_tokens where org_id = $1', org.org_id)).toEqual([])
  })

  test('a token that still works is listed without its text, and can be revoked', async () => {
    await add()
    const token = shownToken()
    await bob.open('/monitors/new')
    expect(squeeze(bob.text())).toContain('Created just now, 12:01. Expires in 1 d, 22 Nov, 12:01')
    expect(bob.page.html).not.toContain(token)
    await bob.submit('/monitors/enrollment-tokens/revoke')
    expect(bob.text()).toContain('It can no longer enroll monitors.')
    expect(bob.text()).not.toContain('expires')
    await expect(enroll(token)).rejects.toMatchObject({ status: 401 })
    expect(await actions()).toEqual(['enrollment_token.create', 'enrollment_token.revoke'])
  })

  test("another org's token, the platform's, or none cannot be revoked here", async () => {
    await add()
    await bob.open('/monitors/new')
    const csrf = bob.all('input[name=csrf]')[0]?.getAttribute('value') ?? ''
    const theirs = (await createEnrollmentToken(w.deps, (await w.org()).org_id)).token
    const platform = await w.token(null)
    for (const token_hash of [theirs, platform].map((token) => hashToken(token).toString('hex')).concat('', 'zz')) {
      expect((await bob.post('/monitors/enrollment-tokens/revoke', { csrf, token_hash })).status).toBe(404)
    }
    await enroll(theirs)
    await enroll(platform)
    await w.rows('delete from monitors where org_id is null')
  })
})

describe('the list', () => {
  test('has what each reported: version, uptime, unsent results, last outage, last seen', async () => {
    const { client } = await w.monitor(org)
    await client.reportStatus({
      version: '1.2.3',
      uptime_sec: 90_061,
      unsent_results: 12,
      last_outage_sec: 125,
      last_outage_ended_at: new Date(w.clock.now().getTime() - 7_200_000).toISOString(),
    })
    w.clock.forward(90)
    await bob.open('/monitors')
    expect(cells(0)?.slice(1)).toEqual([
      'Online',
      '1 min 30 s ago, 12:01',
      '1.2.3',
      '1 d 1 h',
      '12',
      '2 min 5 s, ended 2 h 1 min ago, 10:01',
    ])
  })

  test('tells the states apart: never seen, online, offline, disabled, reset', async () => {
    const monitor = await w.monitor(org)
    const state = async () => {
      await bob.open('/monitors')
      return cells(0)?.[1]
    }
    expect(await state()).toBe('Never seen')
    await monitor.client.ping()
    expect(await state()).toBe('Online')
    await pass(200)
    await pass(100)
    expect(await state()).toBe('Offline for 5 min')
    await monitor.client.ping()
    expect(await state()).toBe('Online')
    await switchMonitor(w.deps, monitor.id, 'platform_enabled', false)
    expect(await state()).toBe('Disabled by the operator')
    await switchMonitor(w.deps, monitor.id, 'platform_enabled', true)
    await switchMonitor(w.deps, monitor.id, 'enabled', false)
    expect(await state()).toBe('Disabled')
    await bob.open(`/monitors/${monitor.id}`)
    await bob.open(`/monitors/${monitor.id}/reset`)
    await bob.submit(`/monitors/${monitor.id}/reset`)
    expect(await state()).toBe('Reset, disabled')
  })

  test('has the shared fleet by name and place, and nothing to do with it', async () => {
    const shared = await w.monitor(null, 'fleet 1')
    await w.monitor(await w.org(), 'theirs')
    await bob.open('/monitors')
    expect(bob.all('table')).toHaveLength(1)
    expect(cells(0)).toEqual(['fleet 1', 'Never seen', 'Never', 'Berlin', 'DE', 'eu-central'])
    expect(bob.page.html).not.toContain(shared.id)
    expect(bob.text()).not.toContain('theirs')
    expect((await bob.open(`/monitors/${shared.id}`)).status).toBe(404)
    await w.rows('delete from monitors where org_id is null')
  })

  test('shows whatever a monitor says of itself as text', async () => {
    const token = await w.token(org)
    const { api_key, monitor_id } = await new MonitorClient({ baseUrl: w.url, token }).enroll({
      ...{ name: HOSTILE, region: HOSTILE, country: HOSTILE, city: HOSTILE },
    })
    await new MonitorClient({ baseUrl: w.url, token: api_key }).reportStatus({
      version: HOSTILE,
      uptime_sec: 1,
      unsent_results: 0,
    })
    const path = `/monitors/${monitor_id}`
    for (const shown of ['/monitors', path, `${path}/reset`]) {
      await bob.open(shown)
      expect(bob.all('script').map((one) => one.getAttribute('src') ?? 'inline')).toEqual([
        expect.stringMatching(/^\/assets\//),
      ])
      expect(bob.all('img, iframe, [onerror]')).toEqual([])
    }
    await bob.submit(`${path}/reset`)
    expect(bob.all('img, iframe, [onerror]')).toEqual([])
    await bob.open(path)
    expect([bob.all('h1')[0]?.text, fact('Version')]).toEqual([HOSTILE, HOSTILE])
  })
})

describe('one monitor', () => {
  let monitor: Monitor
  let path: string
  beforeEach(async () => {
    monitor = await w.monitor(org)
    path = `/monitors/${monitor.id}`
  })

  test('shows what it runs, and which of that is paused', async () => {
    const [a = '', b = ''] = await w.checks(org, [{ name: 'shop' }, { name: 'api', enabled: false }], [monitor.id])
    await w.checks(org, [{ name: 'not its own' }])
    await bob.open(path)
    const links = bob.all('main ul a').map((one) => [one.getAttribute('href'), squeeze(one.parentNode?.text)])
    expect(links).toEqual([
      [`/checks/${a}`, 'shop'],
      [`/checks/${b}`, 'api (paused)'],
    ])
    expect([fact('ID'), fact('Version')]).toEqual([monitor.id, 'Not reported'])
  })

  test('is renamed; a name that cannot be is refused and kept in the form', async () => {
    await bob.open(path)
    await bob.submit(`${path}/name`, { name: ' cellar ' })
    expect(bob.all('h1')[0]?.text).toBe('cellar')
    await bob.submit(`${path}/name`, { name: 'y'.repeat(201) })
    expect([bob.page.status, fault()]).toEqual([400, ['“Name” must be 200 characters or fewer.']])
    expect(faultyFields(bob)).toEqual({
      faults: { 'field-name': 'Must be 200 characters or fewer.' },
      first: ['field-name'],
    })
    expect(bob.all('input[name=name]')[0]?.getAttribute('value')).toBe('y'.repeat(201))
    await bob.submit(`${path}/name`, { name: '' })
    expect(bob.all('h1')[0]?.text).toBe(monitor.id)
    expect(await deeds()).toMatchObject([
      { action: 'monitor.rename', subject: `cellar (${monitor.id})`, detail: { name: 'cellar' } },
      { action: 'monitor.rename', subject: monitor.id, detail: { name: '' } },
    ])
  })

  test('is disabled, which its agent is told, and enabled again', async () => {
    await bob.open(path)
    await bob.submit(`${path}/disable`)
    expect(fact('State')).toBe('Disabled')
    await expect(monitor.client.ping()).rejects.toMatchObject({ status: 403 })
    await bob.submit(`${path}/enable`)
    await monitor.client.ping()
    await bob.open(path)
    expect(fact('State')).toBe('Online')
    expect(await actions()).toEqual(['monitor.disable', 'monitor.enable'])
  })

  test('is reset after the page said what that does, and enrolls again by the commands that are shown', async () => {
    await bob.open(path)
    expect(bob.all(`form[action="${path}/reset"]`)).toEqual([])
    await bob.open(`${path}/reset`)
    expect(bob.text()).toContain('The current key stops working immediately')
    await monitor.client.ping()
    await bob.submit(`${path}/reset`)
    await expect(monitor.client.ping()).rejects.toMatchObject({ status: 401 })
    expect(block('shell')).toContain(`--monitor-id ${monitor.id}`)
    const first = shownToken()

    // The token was lost: the monitor's page makes another.
    await bob.open(path)
    expect(fact('State')).toBe('Reset')
    await bob.submit(`${path}/enrollment`)
    expect(shownToken()).not.toBe(first)
    const { monitor_id, api_key } = await enroll(shownToken(), monitor.id)
    expect(monitor_id).toBe(monitor.id)
    await bob.open(path)
    expect(bob.all(`form[action="${path}/enrollment"]`)).toEqual([])
    await new MonitorClient({ baseUrl: w.url, token: api_key }).ping()
    await bob.open(path)
    expect(fact('State')).toBe('Online')
    expect(await actions()).toEqual(['monitor.reset', 'enrollment_token.create', 'enrollment_token.create'])
  })

  test('that is enrolled gets no commands to enroll it', async () => {
    await bob.open(path)
    const csrf = bob.all('input[name=csrf]')[0]?.getAttribute('value') ?? ''
    await bob.post(`${path}/enrollment`, { csrf })
    expect(bob.page.path).toBe(path)
    expect(bob.all('#shell')).toEqual([])
    expect(await actions()).toEqual([])
  })

  test('of another org, of the shared fleet, or none is a 404, and no form touches it', async () => {
    await bob.open(path)
    const csrf = bob.all('input[name=csrf]')[0]?.getAttribute('value') ?? ''
    const [theirs, shared] = [await w.monitor(await w.org()), await w.monitor(null)]
    const before = await w.rows('select m::text from monitors m order by id')
    for (const id of [theirs.id, shared.id, 'unknown', '%00']) {
      for (const suffix of ['', '/reset']) {
        expect({ id, status: (await bob.open(`/monitors/${id}${suffix}`)).status }).toEqual({ id, status: 404 })
      }
      for (const verb of ['name', 'enable', 'disable', 'reset', 'enrollment']) {
        const { status } = await bob.post(`/monitors/${id}/${verb}`, { csrf, name: 'mine' })
        expect({ id, verb, status }).toEqual({ id, verb, status: 404 })
      }
    }
    expect(await w.rows('select m::text from monitors m order by id')).toEqual(before)
    await w.rows('delete from monitors where org_id is null')
  })
})

test('a clock that is off is shown with how far, in the list and on its own page', async () => {
  const { id } = await w.monitor(org)
  for (const [offset_ms, list, fact] of [
    [-540_000, 'Clock 9 min behind', /9 min behind/],
    [4999, undefined, /In sync/],
  ] as const) {
    await w.rows('update monitors set clock_offset_ms = $2 where id = $1', id, offset_ms)
    await bob.open('/monitors')
    if (list) expect(squeeze(bob.text())).toContain(list)
    else expect(bob.text()).not.toContain('Clock')
    await bob.open(`/monitors/${id}`)
    expect(squeeze(bob.text())).toMatch(fact)
  }
})
