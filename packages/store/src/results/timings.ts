// Converts the durations of a run's parts to and from the form in which results store them: whole milliseconds in two bytes.

export const TIMING_NAMES = ['dns_ms', 'connect_ms', 'tls_ms', 'first_byte_ms', 'transfer_ms'] as const
export type TimingName = (typeof TIMING_NAMES)[number]

/** Durations of the parts of a run. Null if the run did not reach the part, or if its monitor does not report it. */
export type TimingColumns = Record<TimingName, number | null>

const MAX_MS = 65_535
const MAX_SMALLINT = 32_767

/**
 * Returns the stored form of a duration, which fits in two signed bytes: durations above 32,767 ms are stored less 65,536. Durations
 * above 65,535 ms count as 65,535.
 */
export function toStoredMs(ms: number): number {
  const most = Math.min(ms, MAX_MS)
  return most > MAX_SMALLINT ? most - MAX_MS - 1 : most
}

/** Limits a count to the maximum of a smallint. Larger counts are rare. */
export function toSmall(count: number): number {
  return Math.min(count, MAX_SMALLINT)
}

/** Returns the timing columns of a table, converted back to milliseconds without sign. */
export const timingsIn = (table: string): string =>
  TIMING_NAMES.map((name) => `${table}.${name}::integer & ${MAX_MS} as ${name}`).join(', ')

/** Timing columns of a table, in stored form. */
export const TIMINGS = TIMING_NAMES.join(', ')
