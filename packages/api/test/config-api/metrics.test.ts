// The metrics of an organisation: what they say, what they never say, and that others can read them.
import { execFileSync } from 'node:child_process'
import { createHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sql } from 'kysely'
import { exposition } from '../../src/config-api/exposition.ts'
import { configToken, configurator } from '../support/config-api.ts'
import { type Org, result, type World, world } from '../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

interface Series {
  name: string
  labels: Record<string, string>
  value: number
}

/** A reader of the format that is not the writer's: by its grammar, and refusing everything else. */
function parse(text: string): Series[] {
  expect(text.endsWith('\n')).toBe(true)
  const typed = new Set<string>()
  const series: Series[] = []
  for (const line of text.slice(0, -1).split('\n')) {
    const [, comment, about] = /^# (HELP|TYPE) ([a-z_]+) .+$/.exec(line) ?? []
    if (comment === 'TYPE') typed.add(about ?? '')
    if (comment !== undefined) continue
    const [, name = '', inner = '', value = ''] = /^([a-z_]+)\{(.*)\} (-?\d+(?:\.\d+)?(?:e-?\d+)?)$/.exec(line) ?? []
    expect({ line, typed: typed.has(name) }).toEqual({ line, typed: true })
    const labels: Record<string, string> = {}
    let rest = inner
    while (rest !== '') {
      const [all = '', label = '', escaped = ''] = /^([a-z]+)="((?:[^"\\\n]|\\[\\"n])*)",?/.exec(rest) ?? []
      if (all === '') throw new Error(`no label: ${rest}`)
      labels[label] = escaped.replaceAll(/\\(.)/g, (_, one: string) => (one === 'n' ? '\n' : one))
      rest = rest.slice(all.length)
    }
    series.push({ name, labels, value: Number(value) })
  }
  const names = series.map(({ name, labels }) => `${name} ${JSON.stringify(labels)}`)
  expect(new Set(names).size).toBe(names.length)
  return series
}

async function scrape(
  org: Org,
  scopes = ['read'],
): Promise<{ text: string; valueOf: (name: string, thing: string) => number | undefined; series: Series[] }> {
  const answer = await configurator(w, await configToken(w, org, { scopes }))('get', '/metrics')
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8'])
  const series = parse(answer.text)
  return {
    text: answer.text,
    series,
    valueOf: (name, thing) => series.find((one) => one.name === `dogwatch_${name}` && one.labels.name === thing)?.value,
  }
}

test('they say how checks, heartbeats and monitors are', async () => {
  const org = await w.org()
  const monitor = await w.monitor(org, 'rack "4"\\')
  const [up = '', down = ''] = await w.checks(
    org,
    [
      { name: 'up', tags: ['shop', 'eu'] },
      { name: 'down "quoted" \\' },
      { name: 'off', enabled: false },
      { name: 'unseen' },
    ],
    'all',
  )
  await createHeartbeat(w.deps, org.org_id, {
    name: 'nightly',
    interval_sec: 60,
    grace_sec: 0,
    resend_interval_sec: 0,
    show_on_status_page: false,
  })
  const ran_at = w.clock.now().toISOString()
  const cert_expires_at = '2027-01-01T00:00:00.000000Z'
  await monitor.client.upload([
    result(up, { ran_at, latency_ms: 250, cert_expires_at }),
    result(down, { ran_at, success: false }),
  ])
  const { valueOf, series } = await scrape(org)
  const broken = 'down "quoted" \\'
  expect([valueOf('check_up', 'up'), valueOf('check_up', broken), valueOf('check_up', 'off')]).toEqual([
    1,
    0,
    undefined,
  ])
  expect(valueOf('check_incident_open', broken)).toBe(1)
  expect(valueOf('check_incident_open', 'up')).toBe(0)
  expect(valueOf('check_paused', 'off')).toBe(1)
  expect(valueOf('check_latency_seconds', 'up')).toBe(0.25)
  expect(valueOf('check_last_run_timestamp_seconds', 'up')).toBe(Date.parse(ran_at) / 1000)
  expect(valueOf('check_certificate_expiry_timestamp_seconds', 'up')).toBe(Date.parse(cert_expires_at) / 1000)
  expect(valueOf('check_certificate_expiry_timestamp_seconds', broken)).toBeUndefined()
  expect([valueOf('check_uptime_ratio', 'up'), valueOf('check_uptime_ratio', broken)]).toEqual([1, 0])
  // No run was due yet.
  expect(valueOf('check_coverage_ratio', 'up')).toBeUndefined()
  expect(valueOf('heartbeat_paused', 'nightly')).toBe(0)
  expect(valueOf('heartbeat_up', 'nightly')).toBeUndefined()
  expect(valueOf('monitor_online', 'rack "4"\\')).toBe(1)
  expect(series.find(({ name, labels }) => name === 'dogwatch_check_info' && labels.name === 'up')?.labels).toEqual({
    check: up,
    name: 'up',
    key: '',
    tags: ',eu,shop,',
  })
})

test('a token hears of what its scopes let it read, of its own organisation', async () => {
  const [org, other] = [await w.org(), await w.org()]
  await w.monitor(org, 'ours')
  await w.checks(org, [{ name: 'ours' }])
  await w.checks(other, [{ name: 'theirs' }])
  const { series } = await scrape(org, ['checks:read'])
  expect(new Set(series.map(({ labels }) => labels.name))).toEqual(new Set(['ours']))
  expect(series.filter(({ name }) => !name.startsWith('dogwatch_check_'))).toEqual([])
  expect((await scrape(org)).text).toContain('dogwatch_monitor_online')
})

test('a tag or a check takes a part of them, and names may stand in one series alone', async () => {
  const org = await w.org()
  await w.monitor(org, 'ours')
  const [shop = ''] = await w.checks(org, [{ name: 'shop', tags: ['eu'] }, { name: 'other' }])
  await createHeartbeat(w.deps, org.org_id, {
    ...{ name: 'nightly', interval_sec: 60, grace_sec: 0, resend_interval_sec: 0, show_on_status_page: false },
  })
  const token = await configToken(w, org, { scopes: ['read'] })
  const things = async (query: string) => {
    const { text } = await configurator(w, token)('get', `/metrics?${query}`)
    return [...new Set(parse(text).map(({ labels }) => labels.name))]
  }
  expect(await things('')).toEqual(['shop', 'other', 'nightly', 'ours'])
  expect(await things('tag=eu')).toEqual(['shop'])
  expect(await things(`check=${shop}`)).toEqual(['shop'])
  const { text } = await configurator(w, token)('get', '/metrics?labels=id')
  const named = parse(text).filter(({ labels }) => labels.name !== undefined)
  expect([...new Set(named.map(({ name }) => name))]).toEqual([
    'dogwatch_check_info',
    'dogwatch_heartbeat_info',
    'dogwatch_monitor_online',
  ])
  const unknown = await configurator(w, token)('get', '/metrics?check=key:nowhere')
  expect([unknown.status, unknown.text]).toEqual([404, 'no check with that key'])
  const packed = await configurator(w, token)('get', '/metrics', undefined, { 'Accept-Encoding': 'gzip' })
  expect(packed.headers['content-encoding']).toBe('gzip')
})

test('more checks than an answer may have are refused, and a tag takes a part of them', async () => {
  const small = await world({ config_api: { most_measured: 2, unlimited: true } })
  try {
    const org = await small.org()
    await small.checks(org, [{ tags: ['eu'] }, {}, {}])
    const ask = configurator(small, await configToken(small, org))
    const all = await ask('get', '/metrics')
    expect([all.status, all.text]).toEqual([
      400,
      'parts must be given, such as parts=2 with part=1 to 2, unless a tag is given; there are 3 checks, and a response holds at most 2',
    ])
    expect((await ask('get', '/metrics?tag=eu')).status).toBe(200)
    const parts = await Promise.all([1, 2, 3, 4, 5, 6].map((part) => ask('get', `/metrics?part=${part}&parts=6`)))
    expect(parts.map(({ status }) => status)).toContain(200)
    const one = await ask('get', '/metrics?part=1&parts=1')
    expect([one.status, one.text]).toEqual([
      400,
      'parts must be more than 1, such as 2; in this part there are 3 checks, and a response holds at most 2',
    ])
    // Nobody can read a result meanwhile: neither what is refused nor what is left out is looked at.
    await small.deps.database.people.transaction().execute(async (trx) => {
      await sql`lock table results in access exclusive mode`.execute(trx)
      small.clock.forward(10)
      const statuses = ['', '?tag=us', '?tag=%00'].map(async (query) => (await ask('get', `/metrics${query}`)).status)
      expect(await Promise.all(statuses)).toEqual([400, 200, 200])
    })
  } finally {
    await small.close()
  }
})

test('parts together are everything, and each check is whole in one of them', async () => {
  const org = await w.org('team')
  await w.monitor(org, 'ours')
  await w.checks(
    org,
    Array.from({ length: 40 }, (_, n) => ({ name: `c${n}`, tags: n < 20 ? ['eu'] : [] })),
  )
  for (const name of ['nightly', 'weekly', 'monthly']) {
    const times = { interval_sec: 60, grace_sec: 0, resend_interval_sec: 0, show_on_status_page: false }
    await createHeartbeat(w.deps, org.org_id, { name, ...times })
  }
  const ask = configurator(w, await configToken(w, org))
  const linesOf = async (query: string) => {
    const { status, text } = await ask('get', `/metrics?${query}`)
    expect(status).toBe(200)
    return parse(text).map(({ name, labels, value }) => JSON.stringify([name, labels, value]))
  }
  const PARTS = [1, 2, 3, 4]
  for (const query of ['', '&tag=eu']) {
    const parts = await Promise.all(PARTS.map((part) => linesOf(`part=${part}&parts=4${query}`)))
    expect(parts.flat().toSorted()).toEqual((await linesOf(query)).toSorted())
    if (query !== '') continue
    const checksOf = parts.map(
      (lines) => new Set(lines.flatMap((line) => /"check":"([^"]+)"/.exec(line)?.slice(1) ?? [])),
    )
    expect(checksOf.map(({ size }) => size).reduce((sum, one) => sum + one, 0)).toBe(40)
    expect(Math.max(...checksOf.map(({ size }) => size))).toBeLessThan(40)
    expect(parts.map((lines) => lines.some((line) => line.includes('monitor_online')))).toEqual([
      true,
      false,
      false,
      false,
    ])
  }
  const refused = async (query: string) => (await ask('get', `/metrics?${query}`)).text
  expect(await refused('part=5&parts=4')).toBe('part must be from 1 to 4')
  expect(await refused('parts=4')).toBe('part must be from 1 to 4')
  expect(await refused('part=1')).toBe('parts is required when part is sent')
  expect(await refused('part=1&parts=4&check=key:shop')).toBe('parts must be omitted if “check” is sent')
  expect((await ask('get', '/metrics?part=1&parts=101')).status).toBe(400)
})

test('whoever asks again within five seconds gets the same numbers', async () => {
  const org = await w.org()
  const first = await scrape(org)
  await w.checks(org, [{ name: 'new' }])
  expect((await scrape(org)).text).toBe(first.text)
  w.clock.forward(5)
  expect((await scrape(org)).valueOf('check_paused', 'new')).toBe(0)
})

test('long names are cut, and promtool finds nothing to say where it is installed', async () => {
  const org = await w.org()
  await w.checks(org, [
    { name: 'n'.repeat(200) },
    { name: 'emoji 🐕 "x"', tags: Array.from({ length: 10 }, (_, n) => `${n}${'t'.repeat(40)}`) },
  ])
  const { text, series } = await scrape(org)
  const part = await configurator(w, await configToken(w, org))('get', '/metrics?part=1&parts=2')
  for (const { labels } of series)
    for (const value of Object.values(labels)) expect(value.length).toBeLessThanOrEqual(200)
  const promtool = process.env.DOGWATCH_PROMTOOL
  if (promtool !== undefined)
    for (const input of [text, part.text])
      expect(execFileSync(promtool, ['check', 'metrics'], { input, encoding: 'utf8' })).toBe('')
})

test('whatever a label holds, it is read as it was written', async () => {
  const names = ['\n', '"', '\\', '\\n', 'a,b="c"', '} 1\nx 2', '']
  const family = { name: 'dogwatch_x', help: 'Two\nlines \\ and a "quote".', labels: (name: string) => ({ name }) }
  const series = parse(await exposition([{ ...family, value: () => 1 }], names))
  expect(series.map(({ labels }) => labels.name)).toEqual(names)
})
