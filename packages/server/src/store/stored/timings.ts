// The parts of a run, as results have them: whole milliseconds, which two bytes hold.

export const TIMING_NAMES = ['dns_ms', 'connect_ms', 'tls_ms', 'first_byte_ms', 'transfer_ms'] as const
export type TimingName = (typeof TIMING_NAMES)[number]

/** Null for a part that a run did not come to, or that its monitor does not tell. */
export type TimingColumns = Record<TimingName, number | null>

const MAX_MS = 65_535
const MAX_SMALLINT = 32_767

/** As it is stored: 65,536 less when it is too large for a signed number of two bytes. More than 65,535 is cut. */
export function toStoredMs(ms: number): number {
  const most = Math.min(ms, MAX_MS)
  return most > MAX_SMALLINT ? most - MAX_MS - 1 : most
}

/** How many, at most, of which only few are expected. */
export function toSmall(count: number): number {
  return Math.min(count, MAX_SMALLINT)
}

/** The columns of a table as they were told. */
export const timingsIn = (table: string): string =>
  TIMING_NAMES.map((name) => `${table}.${name}::integer & ${MAX_MS} as ${name}`).join(', ')

/** What they are stored in, of a table. */
export const TIMINGS = TIMING_NAMES.join(', ')
