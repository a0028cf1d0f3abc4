// Measures the resources of a server and its Postgres: memory, handles, connections, and the size of tables that stay small.
import type pg from 'pg'
import { linksOf } from '../../lab/alerts/receiver.ts'
import { memoryOf, statusOf } from '../../lab/cpu.ts'
import { heapHeld, type Inspector } from '../../lab/inspector.ts'

/** Values by name. Absent values were not measured. */
export type Vitals = Readonly<Record<string, number | undefined>>

export interface Patient {
  pid: number
  inspector: Inspector
  postmaster: number
  client: pg.Client
  /** Maximum number of rows of each table. */
  most: Map<string, number>
}

/** Tables whose rows are written over and over, or come and go. */
export const HOT_TABLES = [
  'rate_limits',
  'service_presence',
  'processes',
  'check_states',
  'deliveries',
  'monitors',
  'sessions',
  'heartbeats',
]

export async function takeVitals({ pid, inspector, postmaster, client, most }: Patient): Promise<Vitals> {
  const held = await heapHeld(inspector)
  const memory = memoryOf(pid, postmaster)
  const links = linksOf(pid)
  const connections = await client.query<{ count: number }>(CONNECTIONS)
  const tables = await client.query<{ name: string; bytes: string; rows: string }>(SIZES)
  return {
    'server heap': held,
    'server RSS': memory.server,
    'server file descriptors': links.length,
    'server sockets': links.filter((link) => link.startsWith('socket:')).length,
    'server threads': statusOf(pid, 'Threads'),
    'postgres memory': memory.postgres,
    'postgres connections': connections.rows[0]?.count,
    ...Object.fromEntries(
      tables.rows.map(({ name, bytes, rows }) => {
        most.set(name, Math.max(most.get(name) ?? AT_LEAST.rows, Number(rows)))
        return [sizeName(name), Math.max(Number(bytes), AT_LEAST.bytes) / (most.get(name) ?? AT_LEAST.rows)]
      }),
    ),
  }
}

export function sizeName(table: string): string {
  return `${table}, bytes a row`
}

/** Minimum size, because a table of a few rows may have a few pages. */
const AT_LEAST = { bytes: 32 * 8192, rows: 256 }

const CONNECTIONS = `
  select count(*)::integer as count from pg_stat_activity
  where application_name like 'dogwatch%' and pid <> pg_backend_pid()`

const SIZES = `
  select c.relname as name, pg_total_relation_size(c.oid)::text as bytes,
    (xpath('/row/n/text()', query_to_xml('select count(*) as n from ' || quote_ident(c.relname), false, true, '')))[1]::text
      as rows
  from pg_class c where c.relname in (${HOT_TABLES.map((name) => `'${name}'`).join(', ')}) and c.relkind = 'r'
    and c.relnamespace = 'public'::regnamespace`
