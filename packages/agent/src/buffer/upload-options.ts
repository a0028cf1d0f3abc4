// What an uploader needs of its agent.
import type { MonitorClient } from '@dogwatch/monitor-sdk'
import type { ResultBuffer } from './buffer.ts'
import type { Outcome, UploadEvent } from './outcome.ts'

export interface UploaderOptions {
  /** Its retries are off, because retries are timed here. It accepts only the server's own answers. */
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
  /** Milliseconds of a clock that only goes forth. */
  mono: () => number
  /** The clock that results are dated by, in milliseconds since the Unix epoch. */
  now: () => number
  /** A number from 0 up to 1. */
  random: () => number
  sleep: (ms: number, signal: AbortSignal) => Promise<void>
  /** A result was refused. It is offered again later. */
  onSetAside: (value: string, why: string) => void
  /** Receives a result that the server refused for as long as results are kept. */
  giveUp: (value: string, why: string) => Promise<void>
  /** The key is refused, or the monitor disabled: nothing can be uploaded until that is resolved. */
  onRefused: (status: 401 | 403) => void
  /** True for a check whose content is private now, whatever it was when it ran. */
  isPrivate: (guid: string) => boolean
  onAnswer?: (outcome: Outcome['kind'], results: number) => void
  log?: (event: UploadEvent) => void
}
