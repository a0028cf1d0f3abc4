// Names what an agent needs to run: its configuration, the function that runs checks, and its clocks.
import type { Config } from './process/config.ts'
import type { Log } from './process/log.ts'
import type { RunCheck } from './run/run-check.ts'

export interface AgentOptions {
  config: Config
  runCheck: RunCheck
  log: Log
  /** Enrollment token, from DOGWATCH_ENROLLMENT_TOKEN. */
  enrollment_token?: string | undefined
  /** Directory that other users cannot read, whatever the modes of its files, such as systemd's credentials directory. */
  trusted_dir?: string | undefined
  /** Returns the time of a monotonic clock, in milliseconds. */
  mono?: () => number
  /** Returns the time of the machine's own clock, in milliseconds since the Unix epoch. */
  wall?: () => number
  random?: () => number
  /** Maximum wait while the server refuses the key, in milliseconds. Set by tests, which cannot wait a day. */
  key_wait_max_ms?: number
  /** Time during which the server must refuse the key before the agent enrolls again with its token, in milliseconds. */
  reclaim_after_ms?: number
  /** Called after each complete sync. */
  onFullSync?: (monitor_id: string, checks: number) => void
}
