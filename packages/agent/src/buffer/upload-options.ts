// Declares what an uploader needs from its agent.
import type { MonitorClient } from '@dogwatch/monitor-sdk'
import type { ResultBuffer } from './buffer.ts'
import type { Outcome, UploadEvent } from './outcome.ts'

export interface UploaderOptions {
  /** Client without retries, because the uploader times them. It accepts only the server's own responses. */
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
  /** Receives a result that the server refused. It is offered again later. */
  onSetAside: (value: string, why: string) => void
  /** Receives a result that the server refused for as long as results are kept. */
  giveUp: (value: string, why: string) => Promise<void>
  /** Runs when the server refuses the key or has disabled the monitor. Until that is resolved, uploads are impossible. */
  onRefused: (status: 401 | 403) => void
  /** Whether the content of a check is private now, whatever it was when it ran. */
  isPrivate: (guid: string) => boolean
  onAnswer?: (outcome: Outcome['kind'], results: number) => void
  log?: (event: UploadEvent) => void
}
