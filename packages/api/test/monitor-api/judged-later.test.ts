// Results whose checks somebody else holds for too long: they are stored at once, and their checks are judged later.

import { rejudgeChecks, untilNextRejudging } from '@dogwatch/domain/checks/update-health'
import { suspendOrganisation } from '@dogwatch/domain/organisations/suspension'
import { readArrivals, settleArrivals } from '@dogwatch/domain/results/arrivals'
import { openDatabase } from '@dogwatch/store/database'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { IS_ON_CLUSTER } from '../../../store/test/support/cluster.ts'
import { wayTo } from '../../../store/test/support/database.ts'
import { twoNodes } from '../../../store/test/support/nodes.ts'
import { type Monitor, type Org, PREFIX, result, type World, world } from '../support/world.ts'

const LAYOUTS = IS_ON_CLUSTER ? ['on the cluster'] : ['on one Postgres', 'on two nodes']

describe.each(LAYOUTS)('%s', (layout) => {
  const nodes = layout === 'on two nodes' ? twoNodes : undefined
  let w: World
  let holder: pg.Client
  let org: Org
  let monitor: Monitor
  beforeAll(async () => {
    w = await world({ ...(nodes && { nodes }) })
    // A server's bound for locks, shortened.
    await w.deps.database.close()
    const bounds = { poolSize: 4, lock_ms: 100, nodes: nodes?.(w.databaseUrl) }
    Object.assign(w.deps.database, openDatabase({ ...wayTo(w.databaseUrl), ...bounds }))
    holder = new pg.Client({ connectionString: w.databaseUrl })
    await holder.connect()
  })
  beforeEach(async () => {
    org = await w.org()
    monitor = await w.monitor(org)
  })
  afterAll(async () => {
    await holder.end()
    await w.close()
  })

  const ago = (sec: number) => new Date(w.clock.now().getTime() - sec * 1000).toISOString()
  const failure = (guid: string, sec = 10) => result(guid, { ran_at: ago(sec), success: false })
  const send = async (results: readonly object[], more: object = {}) => {
    const sent = w.http.post(`${PREFIX}/results`).set('Authorization', `Bearer ${monitor.key}`)
    const { status, body } = await sent.send({ results, ...more })
    return { status, body: body as object }
  }
  const post = (...results: object[]) => send(results)
  /** While somebody else holds the checks, as whoever judges them does. */
  const held = async <Result>(guids: readonly string[], work: () => Promise<Result>): Promise<Result> => {
    await holder.query('begin')
    await holder.query(
      `insert into check_states (org_id, check_id) select org_id, check_id from checks where guid = any($1)
       on conflict (org_id, check_id) do update set judged_at = check_states.judged_at`,
      [guids],
    )
    try {
      return await work()
    } finally {
      await holder.query('rollback')
    }
  }
  const stored = async (guid: string): Promise<number> =>
    (await w.rows('select from results join checks using (org_id, check_id) where guid = $1', guid)).length
  /** By when it happened; of one moment, in alphabetical order. */
  const told = async () =>
    (await w.rows('select type, subject from events where org_id = $1 order by created_at, type', org.org_id)).map(
      ({ type }) => type,
    )
  const waiting = () => w.rows('select from unjudged_batches')

  test.each([
    ['one that was never judged', false],
    ['one that was judged before', true],
  ])('a failure of %s is stored at once, and takes its check down when it is free', async (_, wasJudged) => {
    const [guid = '', other = ''] = await w.checks(org, [{}, {}], 'all')
    if (wasJudged) {
      await post(failure(guid, 30), failure(other, 30))
      await post(result(guid, { ran_at: ago(20) }), result(other, { ran_at: ago(20) }))
    }
    const before = await told()
    const answer = await held([guid], () => post(failure(guid), failure(other)))
    expect(answer).toEqual({ status: 200, body: { accepted: 2 } })
    expect(await Promise.all([guid, other].map(stored))).toEqual(wasJudged ? [3, 3] : [1, 1])
    expect(await told()).toEqual(before)
    w.clock.forward(61)
    expect(await untilNextRejudging(w.deps)).toBeLessThanOrEqual(0)
    await rejudgeChecks(w.deps)
    expect(await told()).toEqual([...before, 'check.down', 'check.down'])
    await rejudgeChecks(w.deps)
    expect(await told()).toEqual([...before, 'check.down', 'check.down'])
    expect(await waiting()).toEqual([])
  })

  test('however long the check is held, no result is refused, and other checks are judged', async () => {
    const [guid = '', other = ''] = await w.checks(org, [{ down_interval_sec: 3 }, {}], 'all')
    await post(failure(guid, 40), result(other, { ran_at: ago(40) }))
    await held([guid], async () => {
      expect(await post(failure(guid, 30))).toEqual({ status: 200, body: { accepted: 1 } })
      expect(await post(failure(guid, 20))).toEqual({ status: 200, body: { accepted: 1 } })
      expect(await post(failure(other, 20))).toEqual({ status: 200, body: { accepted: 1 } })
      w.clock.forward(61)
      await rejudgeChecks(w.deps)
      expect(await told()).toEqual(['check.down'])
    })
    await rejudgeChecks(w.deps)
    expect(await told()).toEqual(['check.down', 'check.down'])
    expect(await waiting()).toEqual([])
  })

  test('a success brings its check up, and a slow one says so', async () => {
    const [guid = ''] = await w.checks(org, [{ degraded_over_ms: 100 }], 'all')
    await post(failure(guid, 30))
    const slow = (sec: number) => result(guid, { ran_at: ago(sec), latency_ms: 500 })
    expect(await held([guid], () => post(slow(20), slow(10), slow(5)))).toEqual({ status: 200, body: { accepted: 3 } })
    expect(await told()).toEqual(['check.down'])
    w.clock.forward(61)
    await rejudgeChecks(w.deps)
    expect((await told()).sort()).toEqual(['check.degraded', 'check.down', 'check.up'])
  })

  test('a span that late results show is recorded, as if they had been judged at once', async () => {
    const [one = '', other = ''] = await w.checks(org, [{}, {}], 'all')
    const late = (guid: string) => [failure(guid, 900), failure(guid, 840), result(guid, { ran_at: ago(780) })]
    for (const guid of [one, other]) await post(result(guid, { ran_at: ago(960) }), result(guid, { ran_at: ago(10) }))
    await post(...late(one))
    expect((await held([other], () => post(...late(other)))).status).toBe(200)
    w.clock.forward(61)
    await rejudgeChecks(w.deps)
    await w.judgeLate()
    const spans = async (guid: string) =>
      w.rows(
        `select wire_time(began_at) as began_at, wire_time(ended_at) as ended_at from incidents
         join checks using (org_id, check_id) where guid = $1`,
        guid,
      )
    expect(await spans(one)).toHaveLength(1)
    expect(await spans(other)).toEqual(await spans(one))
  })

  test('of a monitor that is catching up, judging waits until it has caught up', async () => {
    const [guid = ''] = await w.checks(org, [{}], 'all')
    await post(result(guid, { ran_at: ago(960) }))
    const answer = await held([guid], () => send([failure(guid, 900)], { remaining: 500 }))
    expect(answer.status).toBe(200)
    w.clock.forward(61)
    await rejudgeChecks(w.deps)
    expect([await stored(guid), await waiting(), await told()]).toEqual([2, [], []])
    await send([result(guid, { ran_at: ago(940) })], { remaining: 0 })
    await rejudgeChecks(w.deps)
    expect(await w.rows('select end_reason from incidents where org_id = $1', org.org_id)).toHaveLength(1)
    expect(await told()).toEqual([])
  })

  test('when it has caught up, what somebody holds then is judged as well, and nothing is refused', async () => {
    const [guid = '', other = ''] = await w.checks(org, [{ down_interval_sec: 1 }, { down_interval_sec: 1 }], 'all')
    await post(result(guid, { ran_at: ago(960) }), result(other, { ran_at: ago(960) }))
    await send([failure(guid, 900), failure(other, 900)], { remaining: 500 })
    expect(await told()).toEqual([])
    const answer = await held([guid], () => send([failure(other, 10)], { remaining: 0 }))
    expect(answer.status).toBe(200)
    await rejudgeChecks(w.deps)
    expect(await told()).toEqual(['check.down', 'check.down'])
    expect(await waiting()).toEqual([])
  })

  test('a late result is read once by who follows the results, before or after its note', async () => {
    const [guid = ''] = await w.checks(org, [{}], 'all')
    let cursor: string | undefined
    const read = async () => {
      await settleArrivals(w.deps)
      const page = await readArrivals(w.deps, org.org_id, guid, cursor === undefined ? {} : { cursor })
      cursor = page.cursor
      return page.results.map(({ ran_at }) => Date.parse(ran_at))
    }
    const [first, late, last] = [ago(20), ago(600), ago(15)]
    await post(result(guid, { ran_at: first }))
    w.clock.forward(90)
    const isOnOne = layout === 'on one Postgres'
    expect(await read()).toEqual([Date.parse(first)])
    const early = cursor
    cursor = undefined
    const batch = [late, last].map((ran_at) => result(guid, { ran_at }))
    expect((await held([guid], () => post(...batch))).status).toBe(200)
    // Where nodes store results by themselves, it may be read before its note, and then once more.
    if (isOnOne) expect(await read()).toEqual([Date.parse(first)])
    const between = cursor
    w.clock.forward(61)
    await rejudgeChecks(w.deps)
    for (const begun of isOnOne ? [early, between] : [early]) {
      cursor = begun
      expect(await read()).toEqual([Date.parse(late), Date.parse(last)])
      expect(await read()).toEqual([])
    }
    cursor = undefined
    expect(await read()).toEqual([late, first, last].map((at) => Date.parse(at)))
    expect(await w.rows('select from late_results where n < 0')).toEqual([])
  })

  test('what cannot be judged at all is stored, and judged when it can be', async () => {
    const [guid = ''] = await w.checks(org, [{}], 'all')
    await w.rows(`
      create function no_incident() returns trigger language plpgsql as $$ begin raise exception 'no incident'; end $$;
      create trigger no_incident before insert on incidents for each row execute function no_incident()`)
    try {
      expect(await post(failure(guid))).toEqual({ status: 200, body: { accepted: 1 } })
      w.clock.forward(61)
      await rejudgeChecks(w.deps)
      expect([await stored(guid), await told(), await waiting()]).toEqual([1, [], []])
    } finally {
      await w.rows('drop trigger no_incident on incidents; drop function no_incident')
    }
    w.clock.forward(61)
    await rejudgeChecks(w.deps)
    expect(await told()).toEqual(['check.down'])
  })

  test('a check whose state cannot be written holds up none of the others', async () => {
    const [poor = '', other = ''] = await w.checks(org, [{}, {}], 'all')
    await held([poor, other], () => post(failure(poor), failure(other)))
    const [{ check_id } = {}] = await w.rows('select check_id from checks where guid = $1', poor)
    await w.rows(`
      create function no_state() returns trigger language plpgsql as $$ begin raise exception 'no state'; end $$;
      create trigger no_state before update on check_states for each row when (old.check_id = ${Number(check_id)})
        execute function no_state()`)
    try {
      w.clock.forward(61)
      await rejudgeChecks(w.deps)
      const still = await w.rows('select distinct check_id from unjudged_batches')
      expect([await told(), still]).toEqual([['check.down'], [{ check_id }]])
    } finally {
      await w.rows('drop trigger no_state on check_states; drop function no_state')
    }
    await rejudgeChecks(w.deps)
    expect([await told(), await waiting()]).toEqual([['check.down', 'check.down'], []])
  })

  test('what waits of a suspended organisation is told to nobody', async () => {
    const [guid = ''] = await w.checks(org, [{}], 'all')
    await held([guid], () => post(failure(guid)))
    await suspendOrganisation(w.deps, org.org_id)
    w.clock.forward(61)
    await rejudgeChecks(w.deps)
    expect(await told()).toEqual([])
  })
})
