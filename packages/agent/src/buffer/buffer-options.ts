// Declares the options of a buffer and the events that it reports.
import type { Store, StoreEvent } from './buffer-store.ts'

export interface BufferOptions {
  dir: string
  /** Returns the server time, in milliseconds since the Unix epoch. */
  now: () => number
  /**
   * Returns the time of the machine's own clock. The buffer drops a result for its age only if both this clock and the server
   * time say so, because either can be wrong.
   */
  wall?: () => number
  log?: (event: BufferEvent) => void
  bytes_max?: number
  age_max_ms?: number
  aside_bytes_max?: number
  /** Maximum number of results in memory while the disk is not writable. */
  memory_max?: number
  openStore?: (dir: string) => Promise<Store>
}

export type BufferEvent =
  | { event: 'disk_failed'; error: string }
  | { event: 'disk_works_again' }
  | StoreEvent
  | { event: 'dropped'; why: DropReason; results: number }

/** Why results were dropped: too many, too old, too many while the disk was not writable, or lost by the disk itself. */
export type DropReason = 'overflow' | 'age' | 'memory' | 'damage'
