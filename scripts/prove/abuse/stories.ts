// Defines attacks of many connections that repeat one request or vary it: pings, exports, results, rules that are costly to expand,
// histories, and changes whose data the database stores.

import { createConfigurationToken } from '../../../packages/domain/dist/configuration/tokens.js'
import { createWindow } from '../../../packages/domain/dist/maintenance/edit.js'
import { setStatusPage } from '../../../packages/domain/dist/organisations/organisation.js'
import { createPersonalToken } from '../../../packages/domain/dist/organisations/personal-tokens.js'
import { editStatusPage } from '../../../packages/domain/dist/status-page/edit.js'
import { MonitorClient } from '../../../packages/monitor-sdk/dist/index.js'
import { systemRandom } from '../../../packages/runtime/dist/random.js'
import { newToken } from '../../../packages/runtime/dist/tokens.js'
import { send } from '../../lab/clients/requests.ts'
import { PLACE } from '../../lab/clients/sdk-agent.ts'
import { openOrg, query, shops } from '../../lab/world.ts'
import { crowd, type Lab } from './lab.ts'
import { streams, templates } from './tenants.ts'

/** An attack. Resolves with the outcomes as text. */
type Story = (lab: Lab) => Promise<string>

/** Returns the bytes of a request. */
function bytesOf(method: string, path: string, headers: Readonly<Record<string, string>> = {}, body = ''): string {
  const all = { Host: 'x', ...headers, ...(body !== '' && { 'Content-Length': Buffer.byteLength(body) }) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}

/** Sends requests in turn from a few addresses, at the rate that the server allows. */
function knock(lab: Lab, network: string, requests: readonly string[]): Promise<string> {
  let n = 0
  const say = () => requests[n++ % requests.length] ?? ''
  return crowd(lab, { network, addresses: 6, connections: 6, say, isPatient: true })
}

const configHeaders = async ({ deps }: Lab, org_id: number) => {
  const { token } = await createConfigurationToken(deps, org_id, { name: 'attack', scopes: ['read', 'write'] })
  return { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
}

const MADE_UP = 5000

/** Attacks with pings, one kind after the other: of one URL, of unknown tokens, and with bodies that never arrive. */
const pings: Story = async (lab) => {
  // Makes the unknown tokens in advance, because making one costs as much as refusing it.
  const made_up = Array.from({ length: MADE_UP }, () => newToken('beat', systemRandom))
  let n = 0
  const ways = Object.entries({
    'one URL': () => bytesOf('GET', `/ping/${lab.ping_token}`),
    'one URL, each ping another': () => bytesOf('GET', `/ping/${lab.ping_token}/log?rid=${n++}`),
    'unknown tokens': () => bytesOf('GET', `/ping/${made_up[n++ % MADE_UP]}`),
    'slow bodies': () => `${bytesOf('POST', `/ping/${lab.ping_token}`, { 'Content-Length': '100' })}abc`,
  })
  const happened: string[] = []
  for (const [way, say] of ways) {
    happened.push(`${way}: ${await crowd(lab, { network: '127.66.0', connections: 700, say, share: 1 / ways.length })}`)
  }
  return happened.join('; ')
}

const EXPORTS = { tokens: 40, addresses: 10, results: 40_000 }
const FILL = `
  insert into results (org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id, response_sample)
  select org_id, check_id, now() - n * interval '1 minute', 1, 503, false, 'greedymonitor', repeat(md5(n::text), 30)
  from (select org_id, check_id from checks where org_id = $1 limit 1) c, generate_series(1, $2::integer) n
  on conflict do nothing`

/** Requests exports without pause, with all tokens of an organisation. */
const exports: Story = async (lab) => {
  const { org_id } = lab.attacker
  await query(lab.deps, FILL, org_id, EXPORTS.results)
  const requests: string[] = []
  for (let n = 0; n < EXPORTS.tokens; n++) {
    const { token } = await createPersonalToken(lab.deps, org_id)
    requests.push(bytesOf('GET', '/account-api/v1/export', { Authorization: `Bearer ${token}` }))
  }
  let n = 0
  const say = () => requests[n++ % requests.length] ?? ''
  return crowd(lab, { network: '127.67.1', addresses: EXPORTS.addresses, connections: EXPORTS.tokens, say })
}

const SPREAD_MS = 30 * 86_400_000
const SAMPLE = 'a made-up answer of a made-up target '.repeat(27)

/** Uploads more results than an organisation may, each of the maximum size. */
const writes: Story = async (lab) => {
  const { attacker, guids, port } = lab
  const enrolling = new MonitorClient({ baseUrl: `http://127.0.0.1:${port}`, token: attacker.enrollment_token })
  const { api_key } = await enrolling.enroll({ ...PLACE, name: 'flood' })
  const headers = { Authorization: `Bearer ${api_key}`, 'Content-Type': 'application/json' }
  const made = { monitor_id: '', success: true, http_status: 200, latency_ms: 1, response_sample: SAMPLE }
  const say = () => {
    const results = Array.from({ length: 500 }, (_, n) => {
      const ran_at = new Date(Date.now() - Math.random() * SPREAD_MS).toISOString()
      return { ...made, check_guid: guids[n % guids.length], ran_at }
    })
    return bytesOf('POST', '/monitor-api/v1/results', headers, JSON.stringify({ results, partial: true }))
  }
  return crowd(lab, { network: '127.68.1', addresses: 20, connections: 8, say })
}

const COSTLY_RULE = 'FREQ=HOURLY;COUNT=15000;BYDAY=1MO,2TU,3WE,4TH,5FR'

/** Sends recurrence rules and cron expressions that are costly to expand. */
const schedules: Story = async (lab) => {
  const headers = await configHeaders(lab, lab.attacker.org_id)
  const now = new Date().getUTCFullYear()
  const window = (rule: string, year: number, n: number) => ({
    ...{ name: `window ${n}`, scope: { all: true }, starts_at: `${year}-11-29T02:00`, duration_sec: 600 },
    ...{ zone: 'Europe/Paris', rule },
  })
  const heartbeat = (n: number) => ({
    ...{ name: `job ${n}`, cron_zone: 'Australia/Lord_Howe', grace_sec: 60 },
    cron: n % 2 === 0 ? '0 0 29 2 1' : `${n % 60} 1-23/${1 + (n % 11)} 31 */${1 + (n % 5)} *`,
  })
  const post = (path: string, body: object) => bytesOf('POST', `/config-api/v1${path}`, headers, JSON.stringify(body))
  const bulk = (kind: string, count: number, bodyOf: (n: number) => object) => {
    const changes = Array.from({ length: count }, (_, n) => ({ action: 'put', kind, key: `k${n}`, body: bodyOf(n) }))
    return post('/bulk', { dry_run: true, changes })
  }
  return knock(lab, '127.71.0', [
    bulk('window', 19, (n) => window(COSTLY_RULE, now - 4, n)),
    post('/maintenance', window(COSTLY_RULE, now - 4, 0)),
    bulk('window', 100, (n) => window('FREQ=HOURLY', now, n)),
    bulk('heartbeat', 300, heartbeat),
    post('/maintenance', window('FREQ=DAILY;UNTIL=20251201T000000Z', now - 4, 0)),
    bytesOf('GET', '/config-api/v1/maintenance', headers),
  ])
}

/** Size of the history: the number of checks, the maximum number of windows in each hour, and the number of days. */
const HISTORY = { checks: 200, windows: 13, days: 60 }

/** Reads pages whose figures the server computes from months of windows and 200 checks, as visitors and with tokens. */
const histories: Story = async (lab) => {
  const { deps } = lab
  const { org_id, addChecks } = await openOrg(deps, 'past')
  const entries = shops('check', HISTORY.checks, (n) => ({ interval_sec: 60 + (n % 7) }))
  const guids = await addChecks(entries, 'none')
  const starts_at = new Date(Date.now() + 60_000).toISOString().slice(0, 16)
  for (let n = 0; n < HISTORY.windows; n++) {
    const checks = guids.filter((_, i) => i % HISTORY.windows !== n)
    const scope = n % 2 === 0 ? { all: true as const } : { checks, heartbeats: [] }
    const schedule = { starts_at, duration_sec: 600, zone: 'UTC', rule: 'FREQ=HOURLY' }
    await createWindow(deps, org_id, { name: `window ${n}`, scope, is_public: true, ...schedule })
  }
  // Inserts the past windows into the database, because requests cannot create windows in the past.
  for (const [table, ...columns] of [
    ['maintenance_spans', 'begins_at', 'ends_at'],
    ['check_schedules', 'since'],
    ['checks', 'created_at'],
  ]) {
    const moved = columns.map((column) => `${column} = ${column} - ${HISTORY.days} * interval '1 day'`)
    await query(deps, `update ${table} set ${moved.join(', ')} where org_id = $1`, org_id)
  }
  const shown = guids.map((guid, n) => ({ kind: 'check' as const, guid, public_name: `check ${n}` }))
  await editStatusPage(deps, org_id, { slug: 'abused-history', title: 'Past', description: '', entries: shown })
  await setStatusPage(deps, org_id, true)
  const headers = await configHeaders(lab, org_id)
  const reads = ['/summaries?limit=500', '/metrics', '/maintenance'].map((path) => `/config-api/v1${path}`)
  const all = ['/status/abused-history', '/status/abused-history.json', ...reads]
  return knock(
    lab,
    '127.72.0',
    all.map((path) => bytesOf('GET', path, headers)),
  )
}

const LONG_SCOPE = { names: 2000, edits: 6 }

/**
 * Makes the database store as much as possible: long scopes of a window, long changes, and the responses that are kept for
 * repeated requests.
 */
const disk: Story = async (lab) => {
  const headers = await configHeaders(lab, lab.attacker.org_id)
  await editLongWindow(lab, headers)
  const url = `https://example.com/${'p'.repeat(1900)}`
  let n = 0
  const say = () => {
    const body = { name: `${'n'.repeat(90)}${++n % 7}`, url, interval_sec: 300 }
    const changes = lab.guids.map((id) => ({ action: 'put', kind: 'check', id, body }))
    const own = { ...headers, 'Idempotency-Key': `key-${n}` }
    return bytesOf('POST', '/config-api/v1/bulk', own, JSON.stringify({ changes }))
  }
  return crowd(lab, { network: '127.73.0', addresses: 4, connections: 4, say, isPatient: true })
}

/** Creates a window whose scope repeats the names of checks, with an occurrence in every hour, and edits it again and again. */
async function editLongWindow({ port, guids, fault }: Lab, headers: Readonly<Record<string, string>>): Promise<void> {
  const call = (method: string, path: string, body?: object) =>
    send({ ...{ port, method, headers, path: `/config-api/v1${path}` }, body: body && JSON.stringify(body) })
  // Deletes all windows first, because other attacks left the maximum number of them.
  const { windows } = JSON.parse((await call('GET', '/maintenance')).text) as { windows: { guid: string }[] }
  for (const { guid } of windows) await call('DELETE', `/maintenance/${guid}`)
  const windowOf = (n: number) => {
    const checks = Array.from({ length: LONG_SCOPE.names }, (_, i) => guids[(i + n) % guids.length])
    const starts_at = new Date(Date.now() + 3_600_000 + n * 60_000).toISOString().slice(0, 16)
    return { name: 'long', scope: { checks }, starts_at, duration_sec: 600, rule: 'FREQ=HOURLY' }
  }
  const created = await call('POST', '/maintenance', windowOf(0))
  if (created.status !== 201) return fault(`the response to a window was ${created.status} ${created.text}`)
  const { guid } = JSON.parse(created.text) as { guid: string }
  for (let n = 1; n <= LONG_SCOPE.edits; n++) {
    const { status, text } = await call('PUT', `/maintenance/${guid}`, windowOf(n))
    if (status !== 200) fault(`the response to an edit of a window was ${status} ${text}`)
  }
}

export const STORIES: Readonly<Record<string, Story>> = {
  ...{ pings, exports, writes, schedules, histories, disk, templates, streams },
}
