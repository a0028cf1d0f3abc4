// However results are stored, what is read of them is what a naive model of rows says: pages in both directions, searches, the
// export, the history, and whether a check is down, whatever came in what order, is sealed, and was cut off after any
// transaction. HISTORIES=200 looks at more.

import { wipeDefinition } from '@dogwatch/domain/checks/pause-delete-wipe'
import { foldHistory } from '@dogwatch/domain/results/history'
import { sealHours } from '@dogwatch/domain/results/seal'
import { pruneOrgs } from '@dogwatch/domain/retention/prune'
import { listDays, listHours } from '@dogwatch/store/results/history'
import {
  END,
  listResults,
  listResultsBefore,
  type Position,
  type ResultRow,
  START,
} from '@dogwatch/store/results/result-pages'
import { searchResults } from '@dogwatch/store/results/result-search'
import { readSealProgress } from '@dogwatch/store/results/sealing/sealing'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { twoNodes } from '../../../store/test/support/nodes.ts'
import { liveOn, makeDue } from '../retention/rows.ts'
import { Mortal } from '../support/mortal.ts'
import { NaiveRows, type Row, type Run, wireOf } from '../support/naive-rows.ts'
import { ACCOUNT, eventually, type Monitor, type World, world } from '../support/world.ts'

const HISTORIES = Number(process.env.HISTORIES ?? 4)
const CHECKS = 3
const MONITORS = 3
const PAGE = 5
/** Of the free plan, and the day more that is kept. */
const KEPT_DAYS = 31
const MIN_MS = 60_000
const HOUR_MS = 60 * MIN_MS
const DAY_MS = 24 * HOUR_MS

let w: World
let mortal: Mortal

type Told = Omit<Run, 'at_us'> & { ago_ms: number; micros: number }
type Step =
  | { kind: 'upload'; monitor: number; runs: Told[]; twice: boolean }
  /** A batch from before comes again, with other content. */
  | { kind: 'repeat'; batch: number; latency_ms: number }
  /** Every minute for some hours, by each monitor in turn. */
  | { kind: 'run on'; check: number; hours: number; fails_every: number; ago_h: number }
  | { kind: 'wait'; minutes: number }
  | { kind: 'fold'; commits: number | undefined }
  /** With a batch from before beside it. */
  | { kind: 'seal'; commits: number | undefined; batch: number }
  | { kind: 'prune' }
  | { kind: 'wipe'; check: number }

const SAMPLES = ['', '<!doctype html><title>Shop</title>', '{"status":"ok"}', 'ungültig ✓ "\\n"\n\t', 'x'.repeat(300)]
const small = fc.integer({ min: 0, max: 400 })
const told: fc.Arbitrary<Told> = fc.record({
  check: fc.nat(CHECKS - 1),
  ago_ms: fc.oneof(
    fc.integer({ min: 0, max: 90 * MIN_MS }),
    fc.integer({ min: 0, max: 90 }).map((minutes) => minutes * MIN_MS),
    fc.integer({ min: 0, max: 5 * DAY_MS }),
    fc.integer({ min: 25 * DAY_MS, max: 45 * DAY_MS }),
    fc.constantFrom(-9 * MIN_MS, -11 * MIN_MS, 401 * DAY_MS),
  ),
  micros: fc.constantFrom(0, 0, 1, 999),
  success: fc.boolean(),
  http_status: fc.constantFrom(0, 200, 204, 503, 999),
  latency_ms: fc.oneof(small, fc.constantFrom(0, 255, 256, 32_768, 65_535, 70_000)),
  error: fc.constantFrom('', 'status: the status is 503', 'timeout: no response within 10 s'),
  response_sample: fc.constantFrom(...SAMPLES),
  timings: fc.oneof(
    fc.constant({}),
    fc.record({ connect_ms: small, first_byte_ms: small, transfer_ms: small }),
    fc.record({ dns_ms: fc.constantFrom(0, 254, 255, 65_535), tls_ms: small }),
  ),
  retries: fc.constantFrom(undefined, undefined, 0, 2),
  cert_expires_at: fc.constantFrom(undefined, '2027-02-01T00:00:00.000000Z', '2027-03-04T05:06:07.000000Z'),
})
const kind = <Kind extends Step['kind']>(name: Kind) => fc.constant(name)
/** Whether it is cut off after some transactions. */
const commits = fc.oneof(fc.constant(undefined), fc.nat(12))
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: kind('upload'),
      monitor: fc.nat(MONITORS - 1),
      runs: fc.array(told, { minLength: 1, maxLength: 12 }),
      twice: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: kind('repeat'), batch: fc.nat(5), latency_ms: small }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: kind('run on'),
      check: fc.nat(CHECKS - 1),
      hours: fc.constantFrom(1, 3),
      fails_every: fc.integer({ min: 2, max: 50 }),
      ago_h: fc.nat(30),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: kind('wait'), minutes: fc.constantFrom(1, 9, 31, 61, 300, 1440) }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('fold'), commits }) },
  { weight: 5, arbitrary: fc.record({ kind: kind('seal'), commits, batch: fc.nat(8) }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('prune') }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('wipe'), check: fc.nat(CHECKS - 1) }) },
)

/** An organisation with its checks and monitors, what was uploaded to it, and what the model says of it. */
class Story {
  readonly model = new NaiveRows()
  readonly #wiped = new Set<number>()
  readonly #batches: { monitor: number; runs: Run[] }[] = []

  readonly org_id: number
  readonly token: string
  readonly guids: readonly string[]
  readonly check_ids: readonly number[]
  readonly monitors: readonly Monitor[]

  private constructor(its: Pick<Story, 'org_id' | 'token' | 'guids' | 'check_ids' | 'monitors'>) {
    this.org_id = its.org_id
    this.token = its.token
    this.guids = its.guids
    this.check_ids = its.check_ids
    this.monitors = its.monitors
  }

  static async begin(): Promise<Story> {
    const org = await w.org('free')
    const monitors: Monitor[] = []
    for (let n = 0; n < MONITORS; n++) monitors.push(await w.monitor(org, `rack ${n}`))
    const fields = { interval_sec: 120, down_interval_sec: 1, down_majority: false, down_places: 0, up_successes: 0 }
    const guids = await w.checks(
      org,
      Array.from({ length: CHECKS }, () => fields),
      'all',
    )
    const rows = await w.rows('select check_id from checks where org_id = $1 order by check_id', org.org_id)
    const check_ids = rows.map(({ check_id }) => Number(check_id))
    return new Story({ org_id: org.org_id, token: await w.pat(org), guids, check_ids, monitors })
  }

  async take(one: Step): Promise<void> {
    const now = w.clock.now().getTime()
    if (one.kind === 'wait') return w.clock.forward(one.minutes * 60)
    if (one.kind === 'fold') return void (await mortal.until(one.commits, () => foldHistory(w.deps, 1)))
    if (one.kind === 'seal') return this.#seal(one)
    if (one.kind === 'prune') return this.#prune()
    if (one.kind === 'wipe') return this.#wipe(one.check)
    if (one.kind === 'run on') return this.#runOn(one)
    if (one.kind === 'repeat') return this.#repeat(one.batch, one.latency_ms)
    const runs = one.runs.map(({ ago_ms, micros, ...run }) => ({ ...run, at_us: (now - ago_ms) * 1000 + micros }))
    this.#batches.push({ monitor: one.monitor, runs })
    for (let times = one.twice ? 2 : 1; times > 0; times--) await this.#upload(one.monitor, runs)
  }

  async #repeat(batch: number, latency_ms: number): Promise<void> {
    const known = this.#batches[batch % this.#batches.length]
    // What a check's definition says is not sent any more once it is private.
    if (known)
      await this.#upload(
        known.monitor,
        known.runs.map((run) => ({ ...run, latency_ms })),
      )
  }

  /** As far as it gets: what is over is folded and sealed, and late results are merged. */
  async #seal({ commits: left, batch }: Step & { kind: 'seal' }): Promise<void> {
    const upload = this.#repeat(batch, 7)
    await mortal.until(left, async () => {
      await foldHistory(w.deps, 1)
      await sealHours(w.deps, 1)
      const { turned_on_at } = await readSealProgress(w.deps.database.machines)
      if (turned_on_at === wireOf(w.clock.now().getTime() * 1000)) w.clock.forward(60)
      await sealHours(w.deps, 1)
      // On nodes nothing is merged or dropped before every process has noticed.
      for (let runs = (await w.deps.database.nodes.isDistributed()) ? 2 : 0; runs > 0; runs--) {
        w.clock.forward(60)
        await sealHours(w.deps, 1)
      }
      await foldHistory(w.deps, 1)
    })
    // Its process would have been the first to know.
    w.deps.database.sealing.forget()
    await upload
  }

  async #upload(monitor: number, given: readonly Run[]): Promise<void> {
    const { id, client } = this.monitors[monitor] as Monitor
    const runs = given.map((run) =>
      this.#wiped.has(run.check) ? { ...run, error: '', response_sample: '', cert_expires_at: undefined } : run,
    )
    const results = runs.map(({ check, at_us, error, response_sample, timings, retries, cert_expires_at, ...run }) => ({
      ...{ check_guid: this.guids[check] ?? '', monitor_id: '', ran_at: wireOf(at_us), ...run },
      ...(error !== '' && { error }),
      ...(response_sample !== '' && { response_sample }),
      ...(Object.keys(timings).length > 0 && { timings: { ...timings } }),
      ...(retries !== undefined && { retries }),
      ...(cert_expires_at !== undefined && { cert_expires_at }),
    }))
    const now = w.clock.now().getTime()
    // An agent sends again what was cut off, until whoever cuts is done.
    let accepted: number | undefined
    const send = async (): Promise<boolean> => {
      accepted = await client.upload(results).then(
        (answer) => answer.accepted,
        () => undefined,
      )
      return accepted !== undefined
    }
    await eventually(send, 'a batch is taken')
    expect(accepted).toBe(this.model.take(id, runs, now))
  }

  async #runOn({ check, hours, fails_every, ago_h }: Step & { kind: 'run on' }): Promise<void> {
    const from = Math.floor(w.clock.now().getTime() / HOUR_MS) * HOUR_MS - (ago_h + hours) * HOUR_MS
    for (let monitor = 0; monitor < MONITORS; monitor++) {
      const runs = Array.from({ length: hours * 20 }, (_, n): Run => {
        const run = n * MONITORS + monitor
        const success = run % fails_every > 0
        return {
          ...{ check, at_us: (from + run * MIN_MS + (run % 7)) * 1000, success, http_status: success ? 200 : 503 },
          ...{
            latency_ms: 40 + run,
            error: success ? '' : 'status: the status is 503',
            response_sample: SAMPLES[1] ?? '',
          },
          ...{ timings: { connect_ms: 3, first_byte_ms: 37 + run }, retries: undefined, cert_expires_at: undefined },
        }
      })
      await this.#upload(monitor, runs)
    }
  }

  async #wipe(check: number): Promise<void> {
    if (this.#wiped.has(check)) return
    this.#wiped.add(check)
    await wipeDefinition(w.deps, this.guids[check] ?? '')
    this.model.wipe(check)
  }

  async #prune(): Promise<void> {
    await liveOn(w)
    // Late rows may have come since the day's own pass.
    await makeDue(w)
    await pruneOrgs(w.deps)
    this.model.prune(Math.floor(w.clock.now().getTime() / DAY_MS) * DAY_MS - KEPT_DAYS * DAY_MS)
  }

  /** All of it is sealed, then comes once more, and is merged. */
  async end(): Promise<void> {
    for (const again of [true, false]) {
      await this.#seal({ kind: 'seal', commits: undefined, batch: 0 })
      if (again) for (const batch of this.#batches.keys()) await this.#repeat(batch, 8)
      await this.compare()
    }
  }

  /** Everything that is read of results, against the model. */
  async compare(): Promise<void> {
    const exported = await this.#exported()
    for (const [check, check_id] of this.check_ids.entries()) {
      const rows = this.model.of(check)
      const expected = rows.map((row) => toRow(row))
      const key = { org_id: this.org_id, check_id, result_detail_max_chars: 256 }
      const forth = await all(START, (after) => listResults(w.deps.database, key, after, PAGE))
      expect(forth.map(bare)).toEqual(expected)
      const near = { ms: HOUR_MS, until: w.clock.now(), page_ms: 0 }
      const back = await all(END, (before) => listResultsBefore(w.deps.database, key, before, PAGE, near))
      expect(back.map(bare)).toEqual(expected.toReversed())
      const by = this.monitors[check]?.id
      const found = await searchResults(w.deps.database, key, END, rows.length + 1, { success: false, monitor_id: by })
      expect(found.rows.map(bare)).toEqual(
        expected.filter(({ success, monitor_id }) => !success && monitor_id === by).toReversed(),
      )
      expect(exported[this.guids[check] ?? '']).toEqual(
        rows.map(({ at_us, monitor_id, success }) => ({ ran_at: wireOf(at_us), monitor_id, success })),
      )
    }
    await this.#compareHistory()
  }

  async #exported(): Promise<Record<string, unknown>> {
    const answer = await w.http.get(`${ACCOUNT}/export`).set('Authorization', `Bearer ${this.token}`)
    expect(answer.status).toBe(200)
    const { results } = answer.body as { results: Record<string, Record<string, unknown>[]> }
    const told = Object.entries(results).map(([guid, rows]) => [
      guid,
      rows.map(({ ran_at, monitor_id, success }) => ({ ran_at, monitor_id, success })),
    ])
    return Object.fromEntries(told) as Record<string, unknown>
  }

  async #compareHistory(): Promise<void> {
    const span = {
      ...{ org_id: this.org_id, check_ids: this.check_ids },
      ...{ from: '2025-01-01T00:00:00.000000Z', until: '2030-01-01T00:00:00.000000Z' },
    }
    const hours = await listHours(w.deps.database, span)
    const days = await listDays(w.deps.database, span)
    expect(
      [hours, days].map((some) => some.map(({ check_id, at, runs, failures }) => [check_id, at, runs, failures])),
    ).toEqual(
      [HOUR_MS, DAY_MS].map((length) =>
        this.check_ids.flatMap((check_id, check) => counted(this.model.of(check), length, check_id)),
      ),
    )
  }

  /** A check of which one failure suffices is down when its latest result failed. */
  async compareStates(): Promise<void> {
    await w.judgeLate()
    const open = await w.rows('select check_id from incidents where org_id = $1 and ended_at is null', this.org_id)
    const down = new Set(open.map(({ check_id }) => Number(check_id)))
    for (const [check, check_id] of this.check_ids.entries()) {
      const isWell = this.model.latestSuccess(check)
      // An edit begins the judging anew, and results that are gone decide nothing.
      if (isWell === undefined || this.#wiped.has(check)) continue
      expect({ check, isDown: down.has(check_id) }).toEqual({ check, isDown: !isWell })
    }
  }
}

async function all(from: Position, read: (at: Position) => Promise<ResultRow[]>): Promise<ResultRow[]> {
  const rows: ResultRow[] = []
  for (let at = from; ; ) {
    const page = await read(at)
    rows.push(...page)
    const last = page.at(-1)
    if (!last || page.length < PAGE) return rows
    at = { ran_at: last.ran_at, monitor_id: last.monitor_id }
  }
}

const bare = ({ monitor_name: _, ...row }: ResultRow) => row

function toRow({
  at_us,
  error,
  response_sample,
  timings,
  retries,
  cert_expires_at,
  check: _,
  judged_us: __,
  ...row
}: Row) {
  const phase = (name: string) => timings[name] ?? null
  return {
    ...row,
    ran_at: wireOf(at_us),
    error: error === '' ? null : error,
    response_sample: response_sample === '' ? null : response_sample.slice(0, 256),
    ...{ dns_ms: phase('dns_ms'), connect_ms: phase('connect_ms'), tls_ms: phase('tls_ms') },
    ...{ first_byte_ms: phase('first_byte_ms'), transfer_ms: phase('transfer_ms') },
    // None is not told from nothing said.
    retries: retries === 0 ? null : (retries ?? null),
    cert_expires_at: cert_expires_at ?? null,
  }
}

/** Runs and failures of each hour or day in which there are any. */
function counted(rows: readonly Row[], length_ms: number, check_id: number): [number, string, number, number][] {
  const spans = Map.groupBy(rows, ({ at_us }) => Math.floor(at_us / 1000 / length_ms))
  return [...spans].map(([span, own]) => [
    ...([check_id, wireOf(span * length_ms * 1000), own.length] as const),
    own.filter(({ success }) => !success).length,
  ])
}

describe.each([
  ['where tests run', undefined],
  ['on two nodes', twoNodes],
] as const)('%s', (_, nodes) => {
  beforeAll(async () => {
    w = await world(nodes && { nodes })
    mortal = new Mortal(w)
  })
  afterAll(() => w.close())

  test(`the pages, the export, the history and the states of ${HISTORIES} histories are what a model of rows says`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 16 }), async (steps) => {
        const story = await Story.begin()
        for (const one of steps) {
          await story.take(one)
          if (one.kind !== 'wait' && one.kind !== 'upload') await story.compare()
        }
        await story.compare()
        await story.compareStates()
        await story.end()
      }),
      { numRuns: HISTORIES, endOnFailure: true },
    )
  }, 600_000)
})
