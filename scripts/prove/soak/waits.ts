// What the server's connections wait for, looked at several times a second: an upload that is refused has waited for one of these.
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { World } from '../../lab/world.ts'

const LOOK_MS = 200
/** So many busy connections at once: requests queue for one, and a moment more of that refuses uploads. */
const BUSY = 8

export interface Waits {
  /** `LWLock WALWrite 61 %, runs 20 %`, of the moments at which all connections were busy; and the longest statement of those. */
  tell(): string
}

interface Look {
  waited: string
  count: number
  longest_ms: number
}

export async function watchWaits(url: string, undo: World['undo']): Promise<Waits> {
  const client = new pg.Client({ connectionString: url, application_name: 'proof' })
  await client.connect()
  const counts = new Map<string, number>()
  let [looks, busy, longest_ms, isOver] = [0, 0, 0, false]
  const look = async (): Promise<void> => {
    const { rows } = await client.query<Look>(WAITS)
    looks += 1
    if (rows.reduce((sum, { count }) => sum + count, 0) < BUSY) return
    busy += 1
    for (const one of rows) {
      counts.set(one.waited, (counts.get(one.waited) ?? 0) + one.count)
      longest_ms = Math.max(longest_ms, one.longest_ms)
    }
  }
  const work = async (): Promise<void> => {
    for (; !isOver; await pause(LOOK_MS)) await look()
  }
  const working = work()
  undo(async () => {
    isOver = true
    await working
    await client.end()
  })
  const tell = (): string => {
    const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
    const shares = [...counts].toSorted(([, a], [, b]) => b - a).slice(0, 5)
    const told = shares.map(([waited, count]) => `${waited} ${Math.round((100 * count) / all)} %`).join(', ')
    return `all connections busy at ${busy} of ${looks} looks${busy === 0 ? '' : `, waiting for ${told}; longest statement ${longest_ms} ms`}`
  }
  return { tell }
}

const WAITS = `
  select coalesce(wait_event_type || ' ' || wait_event, 'runs') as waited, count(*)::integer as count,
    max(extract(epoch from clock_timestamp() - query_start) * 1000)::integer as longest_ms
  from pg_stat_activity
  where application_name like 'dogwatch%' and state <> 'idle' and pid <> pg_backend_pid() group by 1`
