// What the server records and tells of one check as its results arrive, in memory: all that decides is what the server itself
// is made of, and it reads as few results as the server does.
import type { PastIncident } from '@dogwatch/store/checks/incidents'
import { afterChange, type Changes, NO_CHANGES, settlesAt } from '../src/checks/flapping.ts'
import { correct, judge } from '../src/checks/health.ts'
import { type JudgedResult, type Rules, rowMs, wantedResults } from '../src/checks/places.ts'
import { leftBy, withinQuorum } from '../src/checks/quorum.ts'

const START = Date.parse('2026-11-20T12:00:00Z')
/** An instant so many milliseconds after the beginning. */
export const text = (ms: number) => new Date(START + Math.round(ms)).toISOString().replace('Z', '000Z')

const LIMITS = [0, 2000, 10_000]

export class Ledger {
  readonly incidents: PastIncident[] = []
  readonly told: { type: 'down' | 'up' | 'flapping' | 'settled'; at: number }[] = []
  /** The results that were read at most for one verdict. */
  read = 0
  readonly #stored: JudgedResult[] = []
  #rules: Rules
  /** The monitors that count, and since when; undefined: all. */
  #quorum: { ids: ReadonlySet<string>; since: string; left: Record<string, string> } | undefined
  #changes: Changes = NO_CHANGES

  constructor(rules: Rules) {
    this.#rules = rules
  }

  /** A batch arrives. */
  receive(at: number, batch: readonly JudgedResult[]): void {
    const fresh = batch.filter((one) => !this.#stored.some((other) => keyOf(other) === keyOf(one)))
    this.#stored.push(...fresh)
    this.#stored.sort((a, b) => (keyOf(a) < keyOf(b) ? 1 : -1))
    const from = batch.map((one) => one.at).sort()[0] ?? ''
    this.look(at)
    if (batch.some(({ success }) => !success) || this.#open()) this.#judge(at, from)
  }

  /** From now on, results of these monitors count, by these rules. */
  changeQuorum(at: number, ids: ReadonlySet<string>, rules: Rules): void {
    const quorum = this.#quorum ? [...this.#quorum.ids] : [...new Set(this.#stored.map(({ monitor_id }) => monitor_id))]
    const left = leftBy({ quorum, online: [...ids], quorum_left: this.#quorum?.left ?? {} }, text(at))
    this.#quorum = { ids, since: text(at), left }
    this.#rules = rules
    this.#judge(at, undefined)
  }

  /** The chore. */
  look(at: number): void {
    const settles = settlesAt(this.#changes, this.#open() !== undefined)
    if (settles === null || settles > START + at) return
    this.#changes = NO_CHANGES
    this.told.push({ type: 'settled', at: settles - START })
  }

  #open(): PastIncident | undefined {
    return this.incidents.find(({ ended_at }) => ended_at === null)
  }

  #judge(at: number, from: string | undefined): void {
    const open = this.#open()
    const last_ended_at =
      this.incidents
        .flatMap(({ ended_at }) => ended_at ?? [])
        .sort()
        .at(-1) ?? null
    const health = { down_since: open?.began_at ?? null, last_ended_at }
    const newer = from === undefined ? [] : this.#stored.filter((one) => one.at >= from)
    const older = this.#stored.slice(newer.length)
    let verdict
    for (const limit of LIMITS) {
      const before = older.slice(0, Math.max(limit, wantedResults(this.#rules)))
      const results = [...newer, ...before]
      this.read = Math.max(this.read, results.length)
      if (results.length === 0) return
      const since = text(Date.parse(results.at(-1)?.at ?? '') - START - rowMs(this.#rules))
      const { ids, left } = this.#quorum ?? { ids: new Set<string>(), left: {} }
      const counted = this.#quorum
        ? withinQuorum({ down_places: 1, down_majority: false, online: [...ids], quorum_left: left }, results)
        : results
      const recorded = this.#recorded(since)
      const isWhole = before.length === older.length
      verdict = judge(health, counted, this.#rules, new Date(START + at), isWhole, {
        from,
        recorded,
        hasOtherRules: false,
        quorum_since: this.#quorum?.since ?? null,
      })
      if (!verdict.wantsOlder) break
    }
    if (!verdict) return
    const { change, spans } = verdict
    if (change.kind === 'down') {
      const incident_id = `i${this.incidents.length}`
      this.incidents.push({ incident_id, began_at: change.since, ended_at: null, end_reason: null })
      this.#tell('down', at)
    }
    if (change.kind === 'up' && open) {
      Object.assign(open, { ended_at: change.ended_at, end_reason: change.reason })
      this.#tell('up', at)
    }
    if (from !== undefined) this.#correct(spans, from)
  }

  #tell(type: 'down' | 'up', at: number): void {
    const [changes, telling] = afterChange(this.#changes, { at: text(at), isDown: type === 'down', wasTold: true })
    this.#changes = changes
    if (telling !== 'nothing') this.told.push({ type: telling === 'flapping' ? telling : type, at })
  }

  #recorded(from: string): PastIncident[] {
    return this.incidents
      .filter(({ ended_at }) => ended_at === null || ended_at >= from)
      .sort((a, b) => (a.began_at < b.began_at ? -1 : 1))
  }

  #correct(spans: Parameters<typeof correct>[0], from: string): void {
    const { missed, moved } = correct(spans, this.#recorded(from), from)
    for (const { incident_id, ...bounds } of moved) {
      Object.assign(this.incidents.find((one) => one.incident_id === incident_id) ?? {}, bounds)
    }
    for (const one of missed) {
      this.incidents.push({ incident_id: `i${this.incidents.length}`, ...one, end_reason: 'recovered' })
    }
  }
}

function keyOf({ at, monitor_id }: JudgedResult): string {
  return `${at} ${monitor_id}`
}
