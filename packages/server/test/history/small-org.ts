// A small organisation over some days: its monitors run its checks and upload through the API, some late, twice or by wrong clocks, while
// people pause, edit, plan maintenance and take monitors away. It keeps the raw facts, from which its figures can be recounted.
import { expect } from '@jest/globals'
import { configToken, configurator } from '../../../api/test/support/config-api.ts'
import type { Dice } from '../../../runtime/test/support/dice.ts'
import {
  DAY_MS,
  HOUR_MS,
  incidentsOf,
  type PlannedWindow,
  type RawFacts,
  type RawResult,
  timesOf,
} from '../support/recount.ts'
import { type Monitor, type Org, PREFIX, result, type World } from '../support/world.ts'

const MIN_MS = 60_000
const INTERVALS_MIN = [20, 30, 60, 240]
const OLDEST_MS = 400 * DAY_MS
const AHEAD_MS = 10 * MIN_MS
/** By how much a monitor's clock is ahead. */
const OFFSETS_MS = [0, 0, 0, 0, 500, 4 * MIN_MS, 9 * MIN_MS, -7 * MIN_MS, -3 * HOUR_MS, 20 * MIN_MS, -500 * DAY_MS]
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe']
/** How a check is judged. */
const KINDS = [
  {},
  {},
  { down_interval_sec: 3 },
  { down_majority: true },
  { down_places: 2, up_successes: 2 },
  { degraded_over_ms: 400 },
]

interface Span {
  from: number
  until: number
}

export interface RunMonitor extends Monitor {
  offset: number
  /** Tells its own time with each upload. */
  says: boolean
  enabled: boolean
  has_left: boolean
  /** Then its runs are lost, or wait for the next upload after it. */
  silent: Span[]
  away: Span[]
  queue: { check: RunCheck; at: number; success: boolean; latency_ms: number }[]
}

export interface RunCheck {
  guid: string
  name: string
  tags: string[]
  created: number
  phase: number
  kind: (typeof KINDS)[number]
  settings: RawFacts['settings'][number][]
  outages: Span[]
  /** Until when its runs are made. */
  ran_until: number
  results: RawResult[]
  /** When it was paused, or lost its last monitor while it was down. */
  breaks: number[]
}

type Window = PlannedWindow & { guid: string; scope: Record<string, unknown> }

export class SmallOrg {
  readonly checks: RunCheck[] = []
  readonly monitors: RunMonitor[] = []
  readonly windows: Window[] = []
  readonly ask: ReturnType<typeof configurator>
  /** Everything that was done, for whoever looks for the smallest history. */
  readonly deeds: string[] = []

  readonly w: World
  readonly org: Org
  readonly dice: Dice
  /** When its figures are read. */
  readonly until: number

  private constructor({
    w,
    org,
    dice,
    until,
    token,
  }: Pick<SmallOrg, 'w' | 'org' | 'dice' | 'until'> & { token: string }) {
    this.w = w
    this.org = org
    this.dice = dice
    this.until = until
    this.ask = configurator(w, token)
  }

  static async begin(w: World, dice: Dice, length_ms: number): Promise<SmallOrg> {
    const org = await w.org('team')
    const until = w.clock.now().getTime() + length_ms
    const token = await configToken(w, org, { scopes: ['write', 'read'] })
    const self = new SmallOrg({ w, org, dice, until, token })
    for (let n = 0; n < 1 + dice.below(3); n++) await self.#enroll(n)
    for (let n = 0; n < 1 + dice.below(2); n++) await self.#create(n)
    return self
  }

  get now(): number {
    return this.w.clock.now().getTime()
  }

  /** The facts of a check. `only`: the windows of which the public knows. */
  factsOf(check: RunCheck, only?: 'public'): RawFacts {
    const windows = this.windows.filter(
      ({ scope, is_public }) => covers(scope, check) && (only === undefined || is_public),
    )
    const { created, settings, results } = check
    return { created, settings, results, maintenance: timesOf(windows, this.until + DAY_MS) }
  }

  /** Makes the runs that were due since the last time, and uploads what does not wait. */
  async run(): Promise<void> {
    for (const check of this.checks) this.#makeRuns(check)
    for (const monitor of this.monitors) await this.#upload(monitor)
  }

  /** Somebody does something. */
  async change(): Promise<void> {
    const { dice } = this
    const deed = dice.one([
      ...['pause', 'resume', 'interval', 'disable', 'enable', 'leave', 'create', 'enroll'],
      ...['plan', 'plan', 'plan', 'lengthen', 'end', 'unplan'],
    ] as const)
    const check = dice.one(this.checks)
    if (deed === 'pause' || deed === 'resume') await this.#turn(check, deed)
    if (deed === 'interval') await this.#setInterval(check, dice.one(INTERVALS_MIN) * MIN_MS)
    if (deed === 'disable' || deed === 'enable') await this.#switch(deed === 'enable')
    if (deed === 'leave') await this.#leave()
    if (deed === 'create' && this.checks.length < 3) await this.#create(this.checks.length)
    if (deed === 'enroll' && this.monitors.length < 4) await this.#enroll(this.monitors.length)
    if (deed === 'plan' && this.windows.length < 8) await this.#plan()
    if (deed === 'lengthen' || deed === 'end' || deed === 'unplan') await this.#changeWindow(deed)
  }

  async #enroll(n: number): Promise<void> {
    const { dice } = this
    const offset = dice.one(OFFSETS_MS)
    const spans = (most: number) => this.#spans(dice.below(most), 2 * DAY_MS)
    this.monitors.push({
      ...(await this.w.monitor(this.org, `rack ${n}`)),
      ...{ offset, says: dice.below(4) > 0, enabled: true, has_left: false, queue: [] },
      ...{ silent: spans(3), away: spans(3) },
    })
    this.#note(`enroll rack ${n} ${offset}`)
  }

  async #create(n: number): Promise<void> {
    const { dice, w, now } = this
    const [interval_ms, kind] = [dice.one(INTERVALS_MIN) * MIN_MS, dice.one(KINDS)]
    const tags = dice.below(2) === 0 ? ['shop'] : []
    const name = `check ${n}`
    const entry = { name, tags, interval_sec: interval_ms / 1000, down_interval_sec: 1, ...kind }
    const [guid = ''] = await w.checks(this.org, [entry], 'all')
    // By the clock of the database.
    await w.rows('update checks set created_at = $2 where guid = $1', guid, this.w.clock.now().toISOString())
    const phase = dice.below(interval_ms / 1000) * 1000
    const outages = this.#spans(dice.below(4), 12 * HOUR_MS)
    const settings = [{ from: now, until: Infinity, interval_ms }]
    this.checks.push({
      ...{ guid, name, tags, created: now, phase, kind, settings, outages, ran_until: now, results: [], breaks: [] },
    })
    this.#note(`create ${name} ${interval_ms / MIN_MS} min ${JSON.stringify(kind)}`)
  }

  #spans(count: number, longest: number): Span[] {
    const { now, until, dice } = this
    return Array.from({ length: count }, () => {
      const from = now + dice.below((until - now) / 1000) * 1000
      return { from, until: from + (1 + dice.below(longest / 1000)) * 1000 }
    })
  }

  #makeRuns(check: RunCheck): void {
    const { dice, now } = this
    const setting = check.settings.find(({ until }) => until > now)
    const [from, active] = [check.ran_until, this.monitors.filter(({ enabled, has_left }) => enabled && !has_left)]
    check.ran_until = now
    if (!setting || active.length === 0) return
    const { interval_ms } = setting
    for (let slot = Math.ceil((from - check.phase) / interval_ms); ; slot++) {
      const at = slot * interval_ms + check.phase
      if (at >= now) return
      const first = active[slot % active.length] as RunMonitor
      // When the turns of monitors change, two may run it.
      const both = dice.below(20) === 0 ? [first, dice.one(active)] : [first]
      for (const [n, monitor] of both.entries()) {
        if (monitor.silent.some((one) => holds(one, at))) continue
        const isOut = check.outages.some((one) => holds(one, at))
        const success = isOut ? dice.below(8) === 0 : dice.below(60) > 0
        monitor.queue.push({ check, at: at + n * 1500, success, latency_ms: 5 + dice.below(dice.one([90, 900])) })
      }
    }
  }

  async #upload(monitor: RunMonitor): Promise<void> {
    const { now, w } = this
    if (!monitor.enabled || monitor.has_left || monitor.away.some((one) => holds(one, now))) return
    const batch = monitor.queue.filter(({ at }) => at <= now)
    monitor.queue = monitor.queue.filter(({ at }) => at > now)
    for (let first = 0; first < batch.length; first += 500) {
      const some = batch.slice(first, first + 500)
      const results = some.map(({ check, at, success, latency_ms }) =>
        result(check.guid, {
          ran_at: wire(at + monitor.offset),
          success,
          latency_ms,
          http_status: success ? 200 : 503,
        }),
      )
      const body = { results, ...(monitor.says && { sent_at: wire(now + monitor.offset) }) }
      const stored = some.map((one) => ({ check: one.check, row: this.#storedOf(monitor, one) }))
      for (const check of this.checks)
        keepOrder(stored.flatMap((one) => (one.check === check && one.row ? [one.row] : [])))
      const accepted = stored.filter(({ row }) => row !== undefined).length
      for (let times = this.dice.below(4) === 0 ? 2 : 1; times > 0; times--) {
        const answer = await w.http.post(`${PREFIX}/results`).set('Authorization', `Bearer ${monitor.key}`).send(body)
        expect([answer.status, answer.body]).toEqual([200, { accepted }])
      }
      for (const { check, row } of stored) {
        const isNew = row && !check.results.some((one) => one.at === row.at && one.monitor_id === row.monitor_id)
        if (isNew) check.results.push(row)
      }
    }
  }

  /** A run as it is stored; undefined when its sender's clock cannot date it and does not say so. */
  #storedOf(monitor: RunMonitor, { at, success, latency_ms }: RunMonitor['queue'][number]): RawResult | undefined {
    const { now } = this
    const { offset, says, id: monitor_id } = monitor
    const isPlausible = (told: number) => told >= now - OLDEST_MS && told <= now + AHEAD_MS
    const cannotDate = says && (offset > AHEAD_MS || offset < -OLDEST_MS)
    const told = cannotDate && isPlausible(at) ? at : at + offset
    if (!isPlausible(told)) return undefined
    const effective = Math.min(says && !cannotDate && Math.abs(offset) >= 2000 ? at : told, now)
    const judged = Math.abs(effective - told) < 2000 ? told : effective
    return { at: told, judged, received: now, monitor_id, success, latency_ms }
  }

  async #turn(check: RunCheck, to: 'pause' | 'resume'): Promise<void> {
    const setting = check.settings.at(-1)
    const isOn = setting?.until === Infinity
    if (!setting || isOn === (to === 'resume')) return
    await this.#asked('post', `/checks/${check.guid}/${to}`)
    if (to === 'resume') check.settings.push({ ...setting, from: this.now, until: Infinity })
    else this.#close(check)
    if (to === 'pause') check.breaks.push(this.now)
    this.#note(`${to} ${check.name}`)
  }

  #close(check: RunCheck): void {
    const setting = check.settings.pop()
    if (setting && setting.from < this.now) check.settings.push({ ...setting, until: this.now })
  }

  async #setInterval(check: RunCheck, interval_ms: number): Promise<void> {
    const setting = check.settings.at(-1)
    if (setting?.until !== Infinity || setting.interval_ms === interval_ms) return
    await this.#asked('patch', `/checks/${check.guid}`, { interval_sec: interval_ms / 1000 })
    this.#close(check)
    check.settings.push({ from: this.now, until: Infinity, interval_ms })
    this.#note(`every ${interval_ms / MIN_MS} min ${check.name}`)
  }

  async #switch(enabled: boolean): Promise<void> {
    const some = this.monitors.filter((one) => !one.has_left && one.enabled !== enabled)
    if (some.length === 0) return
    const monitor = this.dice.one(some)
    await this.#asked('patch', `/monitors/${monitor.id}`, { enabled })
    monitor.enabled = enabled
    this.#breakIfAlone()
    this.#note(`${enabled ? 'enable' : 'disable'} ${monitor.id}`)
  }

  async #leave(): Promise<void> {
    const some = this.monitors.filter(({ has_left }) => !has_left)
    if (some.length < 2) return
    const monitor = this.dice.one(some)
    await this.#asked('delete', `/monitors/${monitor.id}`)
    monitor.has_left = true
    this.#breakIfAlone()
    this.#note(`leave ${monitor.id}`)
  }

  #breakIfAlone(): void {
    if (this.monitors.some(({ enabled, has_left }) => enabled && !has_left)) return
    // Nothing begins anew for a check that is up.
    for (const check of this.checks) {
      const last = incidentsOf(check, check.breaks).at(-1)
      if (last && last.until === undefined) check.breaks.push(this.now)
    }
  }

  async #plan(): Promise<void> {
    const { dice, now } = this
    const zone = dice.one(ZONES)
    const starts_at = this.#wall(now + (dice.below(48 * 60) - 60) * MIN_MS, zone)
    const minutes = 10 + dice.below(dice.one([60, 600]))
    const every = dice.one([undefined, undefined, 1, 1, 2])
    const is_public = dice.below(2) === 0
    const scope = dice.one([{ all: true }, { tags: ['shop'] }, { checks: [dice.one(this.checks).guid] }])
    const wanted = {
      ...{ name: 'works', scope, starts_at, duration_sec: minutes * 60, zone, is_public },
      ...(every !== undefined && { rule: `FREQ=DAILY;INTERVAL=${every}` }),
    }
    const { status, body } = await this.ask('post', '/maintenance', wanted)
    // What is over before it begins is refused.
    if (status === 400) return
    expect([status, body]).toEqual([201, expect.anything()])
    const { guid } = body as { guid: string }
    const duration_ms = minutes * MIN_MS
    this.windows.push({
      ...{ guid, scope, from: now, until: Infinity, starts_at, zone, duration_ms, every, is_public, ends: [] },
    })
    this.#note(`plan ${JSON.stringify(wanted)}`)
  }

  async #changeWindow(deed: 'lengthen' | 'end' | 'unplan'): Promise<void> {
    const some = this.windows.filter(({ until }) => until === Infinity)
    if (some.length === 0) return
    const { now, dice } = this
    const window = dice.one(some)
    const path = `/maintenance/${window.guid}`
    if (deed === 'end') {
      await this.#asked('post', `${path}/end`)
      window.ends = [...window.ends, now]
    } else if (deed === 'unplan') {
      await this.#asked('delete', path)
      window.until = now
    } else {
      const duration_ms = window.duration_ms + (1 + dice.below(120)) * MIN_MS
      const { status } = await this.ask('patch', path, { duration_sec: duration_ms / 1000 })
      if (status === 400) return
      expect(status).toBe(200)
      window.until = now
      this.windows.push({ ...window, from: now, until: Infinity, duration_ms, ends: [] })
    }
    this.#note(`${deed} ${window.starts_at} ${window.zone}`)
  }

  #wall(at: number, zone: string): string {
    return new Date(at).toLocaleString('sv-SE', { timeZone: zone }).slice(0, 16).replace(' ', 'T')
  }

  async #asked(method: 'post' | 'patch' | 'delete', path: string, body?: object): Promise<void> {
    const answer = await this.ask(method, path, body)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
  }

  #note(deed: string): void {
    this.deeds.push(`${this.w.clock.now().toISOString()} ${deed}`)
  }
}

/** Of results of a check that count from one instant, such as their receipt, each counts a microsecond after the one before. */
function keepOrder(rows: RawResult[]): void {
  const before = new Map<number, number>()
  for (const row of rows.toSorted((a, b) => a.at - b.at)) {
    const instant = Math.floor(row.judged)
    const count = before.get(instant) ?? 0
    before.set(instant, count + 1)
    if (row.judged !== row.at) row.judged = instant + count / 1000
  }
}

function covers(scope: Record<string, unknown>, { guid, tags }: RunCheck): boolean {
  if (Array.isArray(scope.checks)) return scope.checks.includes(guid)
  return Array.isArray(scope.tags) ? tags.some((tag) => (scope.tags as string[]).includes(tag)) : true
}

const holds = ({ from, until }: Span, at: number) => at >= from && at < until
const wire = (ms: number) => new Date(ms).toISOString().replace('Z', '000Z')
