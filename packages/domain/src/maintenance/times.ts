// Reads when checks and heartbeats were under maintenance.
import { Pace } from '@dogwatch/runtime/pace'
import { fromDate } from '@dogwatch/runtime/timestamps'
import type { Db } from '@dogwatch/store/database'
import { listPastTimes, type PastTimes } from '@dogwatch/store/maintenance/times'
import { horizonOf } from '../checks/health.ts'
import { Cover, unionOf } from '../results/cover.ts'
import { readScope, type Scope, type Subject } from '../routing/route.ts'
import { ScopeIndex } from './scopes.ts'

/**
 * Reads an organisation's maintenance between two instants, and what begins soon after, because fast clocks date runs ahead.
 * `only`: omits what was not announced to the public.
 */
export async function readMaintenance(
  db: Db,
  org_id: number,
  { from, until }: { from: Date; until: Date },
  only?: 'public',
): Promise<Maintenance> {
  const range = { from: fromDate(from), until: horizonOf(until), only_public: only === 'public' }
  return Maintenance.of(await listPastTimes(db, org_id, range))
}

/** Maximum number of intervals to remember for other subjects, about 24 bytes each. */
const MOST_KNOWN = 1_000_000

/**
 * Maintenance of an organisation. Joins spans once for each scope, and those of several scopes once for each set of scopes that
 * covers something, so that checks with the same scopes share one list of times.
 */
export class Maintenance {
  readonly #covers: readonly Cover[]
  readonly #index: ScopeIndex
  readonly #pace: Pace
  readonly #known = new Map<string, Cover>()
  #room = MOST_KNOWN

  private constructor(covers: readonly Cover[], index: ScopeIndex, pace: Pace) {
    this.#covers = covers
    this.#index = index
    this.#pace = pace
  }

  static async of(
    times: readonly Pick<PastTimes, 'scope_id' | 'scope' | 'begins' | 'ends'>[],
    pace: Pace = new Pace(),
  ): Promise<Maintenance> {
    const scopes: { scope: Scope; cover: Cover }[] = []
    for (const [first, ...others] of Map.groupBy(times, ({ scope_id }) => scope_id).values()) {
      if (!first) continue
      const covers = await pace.map([first, ...others], coverOf, ({ begins }) => begins.length)
      scopes.push({ scope: readScope(first.scope), cover: await unionOf(covers, pace) })
    }
    const index = await ScopeIndex.of(
      scopes.map(({ scope }) => scope),
      pace,
    )
    return new Maintenance(
      scopes.map(({ cover }) => cover),
      index,
      pace,
    )
  }

  /**
   * Returns the times that a subject was under maintenance. Windows that name tags cover the subjects that have these tags now,
   * because earlier tags are not stored.
   */
  async timesOf(subject: Subject): Promise<Cover> {
    const lists = this.#index.listsOf(subject)
    await this.#pace.spend(1 + lists.length)
    if (lists.length === 0) return Cover.NONE
    const key = lists.join()
    const known = this.#known.get(key)
    if (known) return known
    const scopes = new Set(lists.flatMap((list) => this.#index.scopesIn(list)))
    const made = await unionOf(
      [...scopes].flatMap((n) => this.#covers[n] ?? []),
      this.#pace,
    )
    this.#room -= 1 + made.size
    if (this.#room < 0) {
      this.#known.clear()
      this.#room = MOST_KNOWN
    }
    this.#known.set(key, made)
    return made
  }
}

function coverOf({ begins, ends }: Pick<PastTimes, 'begins' | 'ends'>): Cover {
  return Cover.of(begins.map((from, n) => ({ from, until: ends[n] ?? from })))
}
