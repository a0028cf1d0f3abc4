// Stories that attack the APIs: exports, results, rules that are costly to expand, histories, and what a free account can make the database keep.
import { setTimeout as pause } from 'node:timers/promises'
import { setCustomLimits } from '../../../packages/server/dist/domain/organisations/organisation.js'
import { createPersonalToken } from '../../../packages/server/dist/domain/organisations/personal-tokens.js'
import { PLANS } from '../../../packages/server/dist/domain/organisations/plans.js'
import { createWindow } from '../../../packages/server/dist/domain/maintenance/edit.js'
import { PLACE } from '../../lab/clients/sdk-agent.ts'
import { openOrg, query, shops } from '../../lab/world.ts'
import { send, startCrowd } from './crowd.ts'
import { addStatuses } from './crowds.ts'
import { type Attack, databaseMb, openAttacker, type Story } from './lab.ts'

const EXPORTS = { tokens: 40, addresses: 10, others: 10, results: 40_000, most_ms: 5000 }
const FILL = `
  insert into results (org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id, response_sample)
  select org_id, check_id, now() - n * interval '1 minute', 1, 503, false, 'greedymonitor', repeat(md5(n::text), 30)
  from (select org_id, check_id from checks where org_id = $1 limit 1) c, generate_series(1, $2::integer) n
  on conflict do nothing`

/** Endless exports with all tokens of an organisation, while other tenants export as well. */
export const exports: Story = async ({ port, seconds, deps, attacker, makeChecks }) => {
  await makeChecks()
  await query(deps, FILL, attacker.org_id, EXPORTS.results)
  const tokenOf = async (org_id: number) => (await createPersonalToken(deps, org_id)).token
  const tokens = await Promise.all(Array.from({ length: EXPORTS.tokens }, () => tokenOf(attacker.org_id)))
  const others: string[] = []
  for (let n = 0; n < EXPORTS.others; n++) others.push(await tokenOf((await openOrg(deps, `other ${n}`)).org_id))
  const path = '/account-api/v1/export'
  let n = 0
  const say = () => `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${tokens[n++ % tokens.length]}\r\n\r\n`
  const each = EXPORTS.tokens / EXPORTS.addresses
  const crowds = Array.from({ length: EXPORTS.addresses }, (_, i) =>
    startCrowd({ port, address: `127.67.1.${i + 1}`, connections: each, say }),
  )
  const answers: { status: number; ms: number }[] = []
  for (const token of others) {
    await pause((seconds * 1000) / others.length)
    answers.push(await send({ port, address: '127.67.2.1', path, headers: { Authorization: `Bearer ${token}` } }))
  }
  for (const crowd of crowds) crowd.stop()
  const slowest = Math.max(...answers.map(({ ms }) => ms))
  const refused = answers.filter(({ status }) => status !== 200).length
  return {
    faults: [
      refused > 0 && `${refused} exports of others were refused`,
      slowest > EXPORTS.most_ms && `an export of another tenant took ${slowest.toFixed(0)} ms`,
    ],
    figures: [
      `${tokens.length} tokens of one organisation: ${addStatuses(crowds)}`,
      `exports of ${others.length} others: ${refused} refused, the slowest ${slowest.toFixed(0)} ms`,
    ],
  }
}

const WRITES = { enrollments: 400, in_flight: 8, addresses: 20, results: 500, most_mb: 80, most_monitors: 50 }
const SPREAD_MS = 30 * 86_400_000
const SAMPLE = 'a made-up answer of a made-up target '.repeat(27)

/** Floods of monitors and results. Results beyond the budget are handed back, so that no valid result is lost. */
export const writes: Story = async (lab) => {
  const { port, seconds, attacker, makeChecks } = lab
  const guids = await makeChecks()
  const post = async <Answer>(n: number, path: string, bearer: string, body: object): Promise<Answer | undefined> => {
    const headers = { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' }
    const address = `127.68.1.${(n % WRITES.addresses) + 1}`
    const request = { port, address, method: 'POST', headers, body: JSON.stringify(body) }
    const { status, text } = await send({ ...request, path: `/monitor-api/v1/${path}` })
    return status === 200 ? (JSON.parse(text) as Answer) : undefined
  }
  const keys: string[] = []
  await each(WRITES.enrollments, Infinity, async (n) => {
    const who = { ...PLACE, name: `${n}` }
    const answer = await post<{ api_key: string }>(n, 'enroll', attacker.enrollment_token, who)
    if (answer) keys.push(answer.api_key)
  })
  const before = await databaseMb(lab)
  let [uploads, accepted, handedBack] = [0, 0, 0]
  const made = { monitor_id: '', success: true, http_status: 200, latency_ms: 1, response_sample: SAMPLE }
  await each(Infinity, performance.now() + seconds * 1000, async (n) => {
    const results = Array.from({ length: WRITES.results }, (_, i) => {
      const ran_at = new Date(Date.now() - Math.random() * SPREAD_MS).toISOString()
      return { ...made, check_guid: guids[i % guids.length], ran_at }
    })
    const body = { results, partial: true }
    const answer = await post<{ accepted: number; again?: number[] }>(n, 'results', keys[n % keys.length] ?? '', body)
    if (!answer) return
    uploads++
    accepted += answer.accepted
    handedBack += answer.again?.length ?? 0
  })
  const lost = uploads * WRITES.results - accepted - handedBack
  const grown_mb = (await databaseMb(lab)) - before
  return {
    faults: [
      keys.length > WRITES.most_monitors && `${keys.length} monitors enrolled`,
      lost > 0 && `${lost} valid results were dropped`,
      handedBack === 0 && 'the flood never exceeded the budget',
      grown_mb > WRITES.most_mb && `the database grew by ${grown_mb.toFixed(0)} MB`,
    ],
    figures: [
      `${keys.length} of ${WRITES.enrollments} monitors enrolled`,
      `${uploads} uploads: ${accepted} results stored, ${handedBack} handed back, ${lost} dropped, ${grown_mb.toFixed(0)} MB`,
    ],
  }
}

/** Calls `work` with every number, several times at once, until the numbers or the time run out. */
async function each(count: number, end: number, work: (n: number) => Promise<void>): Promise<void> {
  let n = 0
  const lane = async () => {
    while (n < count && performance.now() < end) await work(n++)
  }
  await Promise.all(Array.from({ length: WRITES.in_flight }, lane))
}

const COSTLY_RULE = 'FREQ=HOURLY;COUNT=15000;BYDAY=1MO,2TU,3WE,4TH,5FR'

/** Sends recurrence rules and cron expressions that are costly to expand. */
export const schedules: Story = async (lab) => {
  const attacker = await openAttacker(lab, lab.attacker.org_id)
  const now = new Date().getUTCFullYear()
  const window = (rule: string, year: number, n: number) => ({
    ...{ name: `window ${n}`, scope: { all: true }, starts_at: `${year}-11-29T02:00`, duration_sec: 600 },
    ...{ zone: 'Europe/Paris', rule },
  })
  const heartbeat = (n: number) => ({
    ...{ name: `job ${n}`, cron_zone: 'Australia/Lord_Howe', grace_sec: 60 },
    cron: n % 2 === 0 ? '0 0 29 2 1' : `${n % 60} 1-23/${1 + (n % 11)} 31 */${1 + (n % 5)} *`,
  })
  const bulk = (kind: string, count: number, bodyOf: (n: number) => object): Attack => {
    const changes = Array.from({ length: count }, (_, n) => ({ action: 'put', kind, key: `k${n}`, body: bodyOf(n) }))
    return { method: 'POST', path: '/bulk', body: { dry_run: true, changes } }
  }
  const create = (rule: string): Attack => ({ method: 'POST', path: '/maintenance', body: window(rule, now - 4, 0) })
  const attacks: readonly Attack[] = [
    bulk('window', 19, (n) => window(COSTLY_RULE, now - 4, n)),
    create(COSTLY_RULE),
    bulk('window', 100, (n) => window('FREQ=HOURLY', now, n)),
    bulk('heartbeat', 300, heartbeat),
    create('FREQ=DAILY;UNTIL=20251201T000000Z'),
    { method: 'GET', path: '/maintenance' },
  ]
  const figure = await attacker.flood('127.71.0', 6, (n) => attacks[n % attacks.length] as Attack)
  return { figures: [`rules and cron: ${figure}`] }
}

const HISTORY = { checks: 200, windows: 100, slug: 'abused-history', days: 60 }

/** Reads what is computed from months of windows and 200 checks, as visitors and with tokens. */
export const histories: Story = async (lab) => {
  const { deps } = lab
  const org = await openOrg(deps, 'past')
  const { org_id } = org
  await setCustomLimits(deps, org_id, { ...PLANS.team, max_checks: 0 })
  const guids = await org.addChecks(
    shops('check', HISTORY.checks, (n) => ({ interval_sec: 60 + (n % 7) })),
    'none',
  )
  const starts_at = new Date(Date.now() + 60_000).toISOString().slice(0, 16)
  for (let n = 0; n < HISTORY.windows; n++) {
    const checks = guids.filter((_, i) => i % HISTORY.windows !== n)
    const scope = n % 2 === 0 ? { all: true as const } : { checks, heartbeats: [] }
    const schedule = { starts_at, duration_sec: 600, zone: 'UTC', rule: 'FREQ=HOURLY' }
    await createWindow(deps, org_id, { name: `window ${n}`, scope, is_public: true, ...schedule }).catch(() => {})
  }
  // Requests cannot create windows in the past.
  for (const [table, ...columns] of [
    ['maintenance_spans', 'begins_at', 'ends_at'],
    ['check_schedules', 'since'],
    ['checks', 'created_at'],
  ]) {
    const moved = columns.map((column) => `${column} = ${column} - ${HISTORY.days} * interval '1 day'`)
    await query(deps, `update ${table} set ${moved.join(', ')} where org_id = $1`, org_id)
  }
  const attacker = await openAttacker(lab, org_id)
  const entries = guids.map((check, n) => ({ check, public_name: `check ${n}` }))
  const body = { enabled: true, slug: HISTORY.slug, title: 'Past', description: '', entries }
  const { status, text } = await attacker.send('127.72.1.1', { method: 'PUT', path: '/status-page', body })
  if (status !== 200) throw new Error(`the status page was not set: ${status} ${text}`)
  const page = `/status/${HISTORY.slug}`
  const paths = [page, `${page}.json`, '/summaries?limit=500', '/metrics', '/maintenance']
  const next = (n: number) => ({ method: 'GET', path: paths[n % paths.length] ?? '' })
  const figure = await attacker.flood('127.72.0', 6, next)
  return { figures: [`${HISTORY.windows} windows and ${HISTORY.checks} checks: ${figure}`] }
}

const DISK = { names: 2000, edits: 6, most_mb: 60 }

/** Makes the database keep much for a free account: long scopes, edited again and again, and responses for repeats. */
export const disk: Story = async (lab) => {
  const attacker = await openAttacker(lab, lab.attacker.org_id)
  const guids = await lab.makeChecks()
  const call = (method: string, path: string, body?: object) =>
    attacker.send('127.73.1.1', { method, path, ...(body && { body }) })
  // An organisation can have 100 windows, of which other stories left some.
  const { windows } = JSON.parse((await call('GET', '/maintenance')).text) as { windows: { guid: string }[] }
  for (const { guid } of windows) await call('DELETE', `/maintenance/${guid}`)
  const windowOf = (n: number) => {
    const checks = Array.from({ length: DISK.names }, (_, i) => guids[(i + n) % guids.length])
    const starts_at = new Date(Date.now() + 3_600_000 + n * 60_000).toISOString().slice(0, 16)
    return { name: 'long', scope: { checks }, starts_at, duration_sec: 600, rule: 'FREQ=HOURLY' }
  }
  const before_mb = await databaseMb(lab)
  const created = await call('POST', '/maintenance', windowOf(0))
  const { guid } = (created.status === 201 ? JSON.parse(created.text) : {}) as { guid?: string }
  for (let n = 1; n <= DISK.edits && guid; n++) await call('PUT', `/maintenance/${guid}`, windowOf(n))
  const windows_mb = (await databaseMb(lab)) - before_mb
  const url = `https://example.com/${'p'.repeat(1900)}`
  const figure = await attacker.flood('127.73.0', 4, (n) => {
    const body = { name: `${'n'.repeat(90)}${n % 7}`, url, interval_sec: 300 }
    const changes = guids.map((id) => ({ action: 'put', kind: 'check', id, body }))
    return { method: 'POST', path: '/bulk', body: { changes }, headers: { 'Idempotency-Key': `key-${n}` } }
  })
  const grown_mb = (await databaseMb(lab)) - before_mb
  return {
    faults: [
      created.status !== 201 && `the response to the window was ${created.status} ${created.text}`,
      grown_mb > DISK.most_mb && `the database grew by ${grown_mb.toFixed(0)} MB`,
    ],
    figures: [
      `one window with ${DISK.names} names and ${DISK.edits} edits: ${windows_mb.toFixed(1)} MB`,
      `writes with keys: ${figure}; the database grew by ${grown_mb.toFixed(1)} MB`,
    ],
  }
}
