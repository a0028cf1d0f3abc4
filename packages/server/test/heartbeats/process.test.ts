// The server as people run it: it tells that it can be called, notes when it could not, and keeps tokens out of its log.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { createHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { systemClock } from '@dogwatch/runtime/clock'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { settingsFor } from '../../../store/test/support/database.ts'
import { CHILD_ENVIRONMENT } from '../support/child-environment.ts'
import { shippedServer } from '../support/shipped-server.ts'
import { eventually, type World, world } from '../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

/** Starts `dogwatch serve`, all roles in one. */
async function serve() {
  const child = spawn(process.execPath, [await shippedServer(), 'serve'], {
    env: { ...CHILD_ENVIRONMENT, PORT: '0', LOG_LEVEL: 'debug', ...settingsFor(w.databaseUrl) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit')
  let log = ''
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()))
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      const found = /listening on (\S+)$/.exec(line)?.[1]
      if (found !== undefined) resolve(found)
    })
    void ended.then(() => reject(new Error(`it ended before it listened: ${log}`)))
  })
  return { url, pid: child.pid, log: () => log, kill: (signal: NodeJS.Signals) => (child.kill(signal), ended) }
}

test('a server that was killed and comes back holds its absence against no job, and takes down who is silent', async () => {
  const { org_id } = await w.org()
  // Longer than a busy machine takes from the ping to the kill.
  const made = { name: 'job', interval_sec: 30, grace_sec: 0, resend_interval_sec: 0, show_on_status_page: false }
  const { guid, token } = await createHeartbeat(w.deps, org_id, made)
  const stored = async () => (await w.rows('select * from heartbeats where guid = $1', guid))[0] ?? {}
  const first = await serve()
  try {
    expect(await (await fetch(`${first.url}/ping/${token}`)).text()).toBe('OK')
    expect(await stored()).toMatchObject({ state: 'up' })
    expect((await fetch(`${first.url}/ping/${token}/nonsense`)).status).toBe(400)
    const [told] = await w.rows('select alive_at from service_presence')
    await eventually(
      async () => (await w.rows('select alive_at from service_presence'))[0]?.alive_at !== told?.alive_at,
      'it tells again',
    )
    await first.kill('SIGKILL')
    await eventually(() => first.log().includes('/ping/dogwatch_beat_...'), 'it logs')
    expect(first.log()).not.toContain(token)
  } finally {
    await first.kill('SIGKILL')
  }
  // As if it had been away for an hour.
  for (const [table, columns] of [
    ['service_presence', ['alive_at']],
    ['processes', ['alive_at']],
    ['heartbeats', ['last_heartbeat_at', 'due_at']],
  ] as const)
    for (const column of columns) await w.rows(`update ${table} set ${column} = ${column} - interval '1 hour'`)
  const second = await serve()
  try {
    await eventually(async () => (await stored()).state === 'down', 'the job is found silent')
    const [outage] = await w.rows('select began_at, ended_at from service_outages')
    const [began, ended] = [outage?.began_at, outage?.ended_at].map((at) => Date.parse(String(at)))
    expect((ended ?? 0) - (began ?? 0)).toBeGreaterThanOrEqual(3_600_000)
    // It may have called while nobody answered: it has a whole interval more.
    expect(Date.parse(String((await stored()).down_since)) - (ended ?? 0)).toBe(30_000)
    const [event] = await w.rows("select data from events where type = 'heartbeat.down'")
    expect(event?.data).toMatchObject({ outages: [{ began_at: expect.any(String), ended_at: expect.any(String) }] })
    expect(Date.parse(String((await stored()).down_since))).toBeLessThanOrEqual(systemClock.now().getTime())
    const processes = await w.rows('select role, pid, alive_at is not null as takes_pings from processes')
    expect(processes).toEqual([{ role: 'all', pid: second.pid, takes_pings: true }])
  } finally {
    await second.kill('SIGTERM')
  }
  expect(await w.rows('select from processes')).toEqual([])
})
