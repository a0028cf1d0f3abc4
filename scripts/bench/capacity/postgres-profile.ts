// Where Postgres spends its time: samples of what its connections wait for, and the CPU of each kind of process.
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { processMeter } from '../../lab/cpu.ts'
import type { Stage } from '../../lab/stage.ts'
import { type Share, Sums } from './shares.ts'

const LOOK_EVERY_MS = 25

// Only the server's connections and Postgres's own processes.
const SEEN = `
  select pid, coalesce(nullif(application_name, ''), backend_type) as name, state = 'active' as is_active, query,
    coalesce(wait_event_type || ': ' || wait_event, 'running') as doing
  from pg_stat_activity where application_name like 'dogwatch%' or backend_type <> 'client backend'`

interface Seen {
  pid: number
  name: string
  is_active: boolean | null
  query: string
  doing: string
}

export interface PostgresProfile {
  /** Average number of the server's statements in progress. */
  under_way: number
  statements: Share[]
  /** What statements in progress wait for. */
  doing: Share[]
  /** Of one processor, by kind of process. */
  cpu: Share[]
}

interface Watch {
  ms: number
  every_ms?: number
  /** Ends it earlier. */
  signal?: AbortSignal
}

export async function profilePostgres(
  { url }: Stage,
  { ms, every_ms = LOOK_EVERY_MS, signal }: Watch,
): Promise<PostgresProfile> {
  const client = new pg.Client({ connectionString: url, application_name: 'bench' })
  await client.connect()
  const [statements, doing, cpu] = [new Sums(), new Sums(), new Sums()]
  const meters = new Map<number, { name: string; before: number; last: number }>()
  const until = performance.now() + ms
  const begun = performance.now()
  let [looks, active] = [0, 0]
  while (performance.now() < until && signal?.aborted !== true) {
    const { rows } = await client.query<Seen>(SEEN)
    looks++
    for (const seen of rows) {
      note(meters, seen)
      if (seen.is_active !== true || !seen.name.startsWith('dogwatch')) continue
      active++
      statements.add(labelOf(seen.query), 1)
      doing.add(seen.doing, 1)
    }
    await pause(every_ms)
  }
  const seconds = (performance.now() - begun) / 1000
  await client.end()
  for (const { name, before, last } of meters.values()) cpu.add(name, last - before)
  return {
    under_way: active / looks,
    statements: statements.sharesOf(active),
    doing: doing.sharesOf(active),
    cpu: cpu.sharesOf(seconds),
  }
}

/** For a process that has ended since: its last value. */
function note(meters: Map<number, { name: string; before: number; last: number }>, { pid, name }: Seen): void {
  const now = processMeter(name, pid).seconds()
  const known = meters.get(pid)
  if (!known) meters.set(pid, { name, before: now, last: now })
  else if (now > 0) known.last = now
}

/** What a statement does, and to which table. */
function labelOf(query: string): string {
  const text = query
    .replace(/--[^\n]*/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  const [verb = ''] = text.split(' ')
  const table = /\b(?:insert into|update|delete from)\s+"?([a-z_]+)/i.exec(text) ?? /\bfrom\s+"?([a-z_]+)/i.exec(text)
  return `${verb.toLowerCase()}${table ? ` ... ${table[0].toLowerCase().replace('"', '')}` : ''}`
}
