// A few of the timelines that the rules are held to in memory, through the API and a real database.

import { assignMonitors, unassignMonitors } from '@dogwatch/domain/checks/assign'
import { importChecks } from '@dogwatch/domain/checks/import'
import { switchCheck } from '@dogwatch/domain/checks/pause-delete-wipe'
import { sweepUnmonitored } from '@dogwatch/domain/checks/unmonitored'
import { rejudgeChecks } from '@dogwatch/domain/checks/update-health'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { gapMs } from '../../../domain/src/checks/places.ts'
import {
  arrivals,
  clockOf,
  INTERVAL_MS,
  type Timeline,
  timelines,
  trueIncidents,
  trueRuns,
} from '../../../domain/test/true-time.ts'
import { type Monitor, PREFIX, result, type World, world } from '../support/world.ts'

const NOISE_MS = 4000

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

async function play(timeline: Timeline): Promise<{ began: number; ended: number | undefined }[]> {
  const org = await w.org()
  const monitors: Monitor[] = []
  for (const _ of timeline.watchers) monitors.push(await w.monitor(org))
  monitors.sort((a, b) => (a.id < b.id ? -1 : 1))
  const entry = { name: 'shop', url: 'https://example.com/', interval_sec: 30, down_interval_sec: timeline.threshold }
  const [guid = ''] = await w.checks(org, [entry], 'all')
  const start = w.clock.now().getTime()
  const iso = (at: number) => new Date(start + Math.round(at)).toISOString()
  const report = async (monitor: number, sent_at: number): Promise<void> => {
    const body = { version: '1', uptime_sec: 1, unsent_results: 0, sent_at: iso(sent_at) }
    await w.http
      .post(`${PREFIX}/status`)
      .set('Authorization', `Bearer ${monitors[monitor]?.key}`)
      .send(body)
      .expect(200)
  }
  const events = arrivals(timeline, trueRuns(timeline)).map(({ at, monitor, sent_at, remaining, results }) => ({
    at,
    monitor,
    happen: async () => {
      const sent = results.map(({ ran_at, success }) => result(guid, { ran_at: iso(ran_at), success }))
      await w.http
        .post(`${PREFIX}/results`)
        .set('Authorization', `Bearer ${monitors[monitor]?.key}`)
        .send({ results: sent, sent_at: iso(sent_at), remaining })
        .expect(200)
    },
  }))
  // Agents report all the while: two requests some seconds apart show that a clock is behind.
  for (const arrival of [...events]) {
    for (const ago of [12_000, 6_000]) {
      const when = arrival.at - ago
      const watcher = timeline.watchers[arrival.monitor]
      if (!watcher) continue
      events.push({ at: when, monitor: arrival.monitor, happen: () => report(arrival.monitor, clockOf(watcher, when)) })
    }
  }
  const at = (when: number, happen: () => Promise<unknown>) =>
    events.push({ at: when, monitor: 0, happen: async () => void (await happen()) })
  for (let when = 0; when < (timeline.runs + 20) * INTERVAL_MS; when += INTERVAL_MS / 2)
    at(when, () => rejudgeChecks(w.deps))
  const { deed } = timeline
  if (deed?.kind === 'edit')
    at(deed.at, () => importChecks(w.deps, org.org_id, [{ ...entry, guid, match_string: 'x' }]))
  if (deed?.kind === 'pause') {
    at(deed.at, () => switchCheck(w.deps, guid, false))
    at(deed.at + deed.for_ms, () => switchCheck(w.deps, guid, true))
  }
  if (deed?.kind === 'unassign') {
    at(deed.at, async () => {
      await unassignMonitors(w.deps, guid, 'all')
      await sweepUnmonitored(w.deps)
    })
    at(deed.at + deed.for_ms - 1, () => assignMonitors(w.deps, guid, 'all'))
  }
  for (const { at: when, happen } of events.sort((a, b) => a.at - b.at)) {
    w.clock.forward((start + when - w.clock.now().getTime()) / 1000)
    await happen()
  }
  const rows = await w.rows(
    'select wire_time(began_at) as began, wire_time(ended_at) as ended from incidents where org_id = $1 order by began_at',
    org.org_id,
  )
  const since = (text: unknown) => Date.parse(String(text)) - start
  return rows.map(({ began, ended }) => ({ began: since(began), ended: ended === null ? undefined : since(ended) }))
}

test('what the database records is what happened, within one interval', async () => {
  await fc.assert(
    fc.asyncProperty(timelines, async (timeline) => {
      const gap_ms = gapMs({ interval_sec: INTERVAL_MS / 1000, monitors: timeline.watchers.length })
      const wanted = trueIncidents(timeline, trueRuns(timeline), gap_ms)
      const found = await play(timeline)
      const isNear = (a: number | undefined, b: number | undefined) =>
        a === undefined || b === undefined ? a === b : Math.abs(a - b) <= INTERVAL_MS + NOISE_MS
      const isSame = found.every((one, i) => isNear(one.began, wanted[i]?.began) && isNear(one.ended, wanted[i]?.ended))
      if (found.length !== wanted.length || !isSame) expect(found).toEqual(wanted)
    }),
    { numRuns: 2, endOnFailure: true },
  )
})
