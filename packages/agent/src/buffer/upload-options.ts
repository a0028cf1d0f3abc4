// Declares what an uploader needs from its agent.
import type { MonitorClient } from '@dogwatch/monitor-sdk'
import type { ResultBuffer } from './buffer.ts'
import type { Outcome, UploadEvent } from './outcome.ts'

export interface UploaderOptions {
  /**
   * Client that does not retry, because the uploader decides when to. It rejects every response that is not from the server
   * itself.
   */
  client: Pick<MonitorClient, 'http'>
  buffer: Pick<
    ResultBuffer,
    | 'oldest'
    | 'remove'
    | 'size'
    | 'holdBack'
    | 'isBehind'
    | 'heldBack'
    | 'heldSize'
    | 'setAside'
    | 'asideSize'
    | 'firstAside'
    | 'removeAside'
    | 'postponeAside'
  >
  /** Returns the time of a clock that never goes back, in milliseconds. */
  mono: () => number
  /** Returns the time of the clock that dates results, in milliseconds since the Unix epoch. */
  now: () => number
  /** Returns a random number from 0 up to 1. */
  random: () => number
  sleep: (ms: number, signal: AbortSignal) => Promise<void>
  /** Receives a result that the server refused. The uploader sends it again later. */
  onSetAside: (value: string, why: string) => void
  /**
   * Receives a refused result that the uploader has deleted, because the server refused it for seven days, or because there were
   * too many refused results.
   */
  giveUp: (value: string, why: string) => Promise<void>
  /** Runs when the server refuses the key or has disabled the monitor. Until that is resolved, uploads are impossible. */
  onRefused: (status: 401 | 403) => void
  /** Whether the definition of a check is private now, even if it was not private when the check ran. */
  isPrivate: (guid: string) => boolean
  onAnswer?: (outcome: Outcome['kind'], results: number) => void
  log?: (event: UploadEvent) => void
}
