// What a buffer is opened with, and what it reports.
import type { Store, StoreEvent } from './buffer-store.ts'

export interface BufferOptions {
  dir: string
  /** Milliseconds since the Unix epoch. */
  now: () => number
  /** The machine's own clock. Results are dropped for age only when both clocks say so, because one may be wrong. */
  wall?: () => number
  log?: (event: BufferEvent) => void
  bytes_max?: number
  age_max_ms?: number
  aside_bytes_max?: number
  /** How many results are kept in memory while the disk is not writable. */
  memory_max?: number
  openStore?: (dir: string) => Promise<Store>
}

export type BufferEvent =
  | { event: 'disk_failed'; error: string }
  | { event: 'disk_works_again' }
  | StoreEvent
  | { event: 'dropped'; why: Dropped; results: number }

/**
 * Why results were dropped: too many, too old, too many while the disk was not writable, or lost by the disk itself.
 */
export type Dropped = 'overflow' | 'age' | 'memory' | 'damage'
