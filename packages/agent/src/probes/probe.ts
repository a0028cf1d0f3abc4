// What a probe is: it looks at a target, within its bounds, and reports what it saw without judging it.
import type { Target } from '@dogwatch/check-rules/target'
import type { Check } from '@dogwatch/monitor-sdk'
import type { Attempt } from './attempt.ts'

/** Starts to look at the target; the attempt ends by what happens on its sockets. */
export type Probe = (attempt: Attempt, target: Target, check: Check) => void
