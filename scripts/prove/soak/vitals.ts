// Measures the resources of a server and its Postgres, and decides whether a series of measurements is flat.
import { readdirSync, readlinkSync } from 'node:fs'
import type pg from 'pg'
import { memoryOf, statusOf } from '../../lab/cpu.ts'
import { askInside } from '../../lab/inside.ts'
import { sum } from '../../lab/proof.ts'
import type { Server } from '../../lab/server.ts'

/** Measured values by name. The value of a failed measurement is absent. */
export type Vitals = Readonly<Record<string, number | undefined>>

export const MEMORY = ['server heap', 'server RSS', 'postgres memory']
export const COUNTS = ['server file descriptors', 'server sockets', 'server threads', 'postgres connections']
/** Tables that must stay small, because their rows are overwritten all the time, or come and go. */
const TABLES = 'rate_limits service_presence processes check_states deliveries monitors sessions heartbeats'.split(' ')
export const SIZES = TABLES.map((name) => `${name}, bytes a row`)

const SIZES_NOW = `
  select c.relname as name, pg_total_relation_size(c.oid)::float8 as bytes,
    (xpath('/row/n/text()', query_to_xml('select count(*) as n from ' || quote_ident(c.relname), false, true, '')))[1]::text::float8
      as rows
  from pg_class c where c.relname = any($1::text[]) and c.relkind = 'r' and c.relnamespace = 'public'::regnamespace`
const CONNECTIONS = `
  select count(*)::integer as count from pg_stat_activity
  where application_name like 'dogwatch%' and pid <> pg_backend_pid()`
/** Minimum size of a table that counts, because a table of a few rows may have a few pages. */
const AT_LEAST = { bytes: 32 * 8192, rows: 256 }
/** Maximum number of rows of each table so far, because a table keeps the size that it once had. */
const most = new Map<string, number>()

/** Lists the open files of a process. */
function linksOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${fd}`)]
    } catch {
      // Ignores a file that was closed after the listing.
      return []
    }
  })
}

export async function takeVitals({ pid, child }: Server, postmaster: number, client: pg.Client): Promise<Vitals> {
  const memory = memoryOf(pid, postmaster)
  const links = linksOf(pid)
  const connections = await client.query<{ count: number }>(CONNECTIONS)
  const tables = await client.query<{ name: string; bytes: number; rows: number }>(SIZES_NOW, [TABLES])
  return {
    // Asks for the heap after the last collection, because a new collection would stop a busy server for half a second.
    'server heap': await askInside(child, 'heap after a collection'),
    'server RSS': memory.server,
    'server file descriptors': links.length,
    'server sockets': links.filter((link) => link.startsWith('socket:')).length,
    'server threads': statusOf(pid, 'Threads'),
    'postgres memory': memory.postgres,
    'postgres connections': connections.rows[0]?.count,
    ...Object.fromEntries(
      tables.rows.map(({ name, bytes, rows }) => {
        const most_rows = Math.max(most.get(name) ?? AT_LEAST.rows, rows)
        most.set(name, most_rows)
        return [`${name}, bytes a row`, Math.max(bytes, AT_LEAST.bytes) / most_rows]
      }),
    ),
  }
}

export interface Point {
  /** Time of the measurement, in seconds since the first one. */
  at: number
  value: number
}

export interface Line {
  mean: number
  /** Change of the value per second. */
  slope: number
  /** Minimum slope at which a line stands out from the noise of the measurements. */
  visible: number
  first: number
  last: number
}

/** Number of standard errors around a line's slope that contain 999 of 1000 estimates. */
const SURE = 3.3
/** Number of measurements that count as one, because each resembles the previous one. */
const WORTH = 2

/** Fits a line through the measurements. Leaves out the first third, because a server warms up. */
export function lineThrough(points: readonly Point[]): Line {
  return fit(points.slice(Math.floor(points.length / 3)))
}

/**
 * Fits a line through each half of the measurements, and returns the flatter one. A leak is in both halves. Without a leak,
 * memory rises only in single steps, which the allocator keeps.
 */
export function flatterHalf(points: readonly Point[]): Line {
  const late = points.slice(Math.floor(points.length / 3))
  const middle = Math.floor(late.length / 2)
  const [first, second] = [fit(late.slice(0, middle)), fit(late.slice(middle))]
  return first.slope < second.slope ? first : second
}

function fit(points: readonly Point[]): Line {
  const average = (valueOf: (point: Point) => number) => sum(points.map(valueOf)) / points.length
  const [mean, middle] = [average(({ value }) => value), average(({ at }) => at)]
  const spread = sum(points.map(({ at }) => (at - middle) ** 2))
  const slope = sum(points.map(({ at, value }) => (at - middle) * (value - mean))) / spread
  const rest = sum(points.map(({ at, value }) => (value - mean - slope * (at - middle)) ** 2))
  const visible = SURE * Math.sqrt((WORTH * rest) / Math.max(1, points.length - 2) / spread)
  const rise = slope * ((points.at(-1)?.at ?? 0) - (points[0]?.at ?? 0))
  return { mean, slope, visible, first: mean - rise / 2, last: mean + rise / 2 }
}
