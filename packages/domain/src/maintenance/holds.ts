// Holds alerts about checks, heartbeats and monitors under maintenance until the maintenance ends.
import { fromDate } from '@dogwatch/runtime/timestamps'
import type { Trx } from '@dogwatch/store/database'
import { listSpans } from '@dogwatch/store/maintenance/spans'
import { listGuidsOf } from '@dogwatch/store/maintenance/windows'
import { listTagsOf } from '@dogwatch/store/routing/subjects'
import type { Hold, HoldSource } from '../routing/hold.ts'
import { matcherOf, readScope, type Scope } from '../routing/route.ts'

interface Running {
  scope: Scope
  hold: Hold
}

/** Source of the holds of current windows. A window for everything holds alerts about monitors as well. */
export const MAINTENANCE: HoldSource = {
  name: 'maintenance',
  holdsLists: true,
  mayHold: ({ in_maintenance }) => in_maintenance,
  async find(trx, org_id, subjects, now) {
    const spans = await listSpans(trx, org_id, fromDate(now))
    const running = spans.map(({ window_id, name, scope, ends_at }): Running => {
      const hold = { until: ends_at, by: `maintenance:${window_id}`, words: `maintenance "${name}"` }
      return { scope: readScope(scope), hold }
    })
    return running.length === 0 ? new Map() : holdsOf(trx, org_id, subjects, running)
  },
}

async function holdsOf(
  trx: Trx,
  org_id: number,
  subjects: readonly string[],
  running: readonly Running[],
): Promise<ReadonlyMap<string, Hold>> {
  const holds = new Map<string, Hold>()
  const hold = (subject: string, own: readonly Running[]) => {
    const [last] = own
      .map((one) => one.hold)
      .toSorted((one, other) => ((one.until ?? '') < (other.until ?? '') ? 1 : -1))
    if (last) holds.set(subject, last)
  }
  const forAll = running.filter(({ scope }) => 'all' in scope)
  for (const subject of subjects) hold(subject, forAll)
  if (forAll.length === running.length) return holds
  const named = await listGuidsOf(trx, org_id, {
    checks: idsOf(subjects, 'check'),
    heartbeats: idsOf(subjects, 'heartbeat'),
  })
  const hasTags = running.some(({ scope }) => 'tags' in scope)
  const guids = named.map(({ guid }) => guid)
  const tags = await listTagsOf(trx, org_id, hasTags ? guids : [])
  const matchers = running.map((one) => ({ one, matches: matcherOf(one.scope) }))
  for (const { subject, kind, guid } of named) {
    const own = matchers.filter(({ matches }) => matches({ kind, guid, tags: tags.get(guid) ?? [] }))
    hold(
      subject,
      own.map(({ one }) => one),
    )
  }
  return holds
}

function idsOf(subjects: readonly string[], kind: string): number[] {
  return subjects.flatMap((subject) => {
    const [word, id = ''] = subject.split(':')
    return word === kind && /^\d+$/.test(id) ? [Number(id)] : []
  })
}
