// Declares a probe: it requests a target, within its bounds, and reports what it saw without judging it.
import type { Target } from '@dogwatch/check-rules/target'
import type { Check } from '@dogwatch/monitor-sdk'
import type { Attempt } from './attempt.ts'

/** Starts a request to the target. Events on its sockets end the attempt. */
export type Probe = (attempt: Attempt, target: Target, check: Check) => void
