// POST /status: the snapshot of the caller.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Monitor, type Org, PREFIX, type World, world } from '../support/world.ts'

let w: World
let org: Org
let monitor: Monitor
beforeAll(async () => {
  w = await world()
  org = await w.org()
  monitor = await w.monitor(org)
})
afterAll(() => w.close())

const STATUS = { version: '1.2.3', uptime_sec: 60, unsent_results: 7 }
const post = (body: unknown) =>
  w.http
    .post(`${PREFIX}/status`)
    .set('Authorization', `Bearer ${monitor.key}`)
    .set('Content-Type', 'application/json')
    .send(typeof body === 'string' ? body : JSON.stringify(body))
const snapshot = async (id: string) => {
  const [row] = await w.rows(
    'select version, uptime_sec, unsent_results, last_outage_sec, wire_time(last_outage_ended_at) as ended from monitors where id = $1',
    id,
  )
  return row
}

test('is kept, and read back as it was sent', async () => {
  const last_outage_ended_at = '2026-11-20T10:00:00.123456789+01:00'
  expect(await monitor.client.reportStatus({ ...STATUS, last_outage_sec: 90, last_outage_ended_at })).toEqual({
    status: 'ok',
  })
  expect(await snapshot(monitor.id)).toEqual({ ...STATUS, last_outage_sec: 90, ended: '2026-11-20T09:00:00.123456Z' })
})

test('replaces the one before whole', async () => {
  await monitor.client.reportStatus({ ...STATUS, last_outage_sec: 90, last_outage_ended_at: '2026-11-20T09:00:00Z' })
  await monitor.client.reportStatus({ ...STATUS, version: '1.2.4' })
  expect(await snapshot(monitor.id)).toEqual({ ...STATUS, version: '1.2.4', last_outage_sec: null, ended: null })
})

test('is of the caller, whatever id the body names', async () => {
  const other = await w.monitor(org)
  await post({ ...STATUS, version: 'mine', monitor_id: other.id, id: other.id })
  expect(await snapshot(monitor.id)).toMatchObject({ version: 'mine' })
  expect(await snapshot(other.id)).toMatchObject({ version: null })
})

describe('400', () => {
  test.each([
    ['malformed json', '{"version":', 'the body must be valid JSON'],
    ['version missing', { ...STATUS, version: undefined }, 'version is required'],
    ['uptime_sec missing', { ...STATUS, uptime_sec: undefined }, 'uptime_sec is required'],
    ['unsent_results missing', { ...STATUS, unsent_results: undefined }, 'unsent_results is required'],
    ['unsent_results negative', { ...STATUS, unsent_results: -1 }, 'unsent_results must be at least 0'],
    ['uptime_sec negative', { ...STATUS, uptime_sec: -1 }, 'uptime_sec must be at least 0'],
    ['last_outage_sec negative', { ...STATUS, last_outage_sec: -1 }, 'last_outage_sec must be at least 0'],
    ['a fraction', { ...STATUS, uptime_sec: 1.5 }, 'uptime_sec must be an integer'],
    [
      'more than a number can count',
      `{"version":"1","uptime_sec":1e300,"unsent_results":0}`,
      'uptime_sec must be at most 9007199254740991',
    ],
    [
      'no date-time',
      { ...STATUS, last_outage_ended_at: 'yesterday' },
      'last_outage_ended_at must be an RFC 3339 date-time',
    ],
    ['more than 16 KiB', { ...STATUS, pad: 'x'.repeat(16_384) }, 'the body must be at most 16384 bytes'],
  ])('%s', async (_, body, line) => {
    const answer = await post(body)
    expect({ status: answer.status, line: answer.text }).toEqual({ status: 400, line })
  })
})
