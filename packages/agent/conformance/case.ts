// What a case is.
import type { World } from './world.ts'

export interface Case {
  name: string
  /** What an agent does that passes it. */
  fact: string
  /** An agent may take a minute for it. */
  isSlow?: boolean
  /** What the server's clock is ahead of this machine's, in milliseconds. */
  ahead_ms?: number
  /** What the server's cursor is ahead of the server's clock, in milliseconds. */
  cursor_ahead_ms?: number
  /** @throws Breach, Skip */
  run: (world: World) => Promise<void>
}
