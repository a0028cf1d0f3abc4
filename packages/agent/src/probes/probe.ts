// Declares a probe: it requests a target, within its bounds, and reports what it saw without judging it.
import type { ProbedScheme } from '@dogwatch/check-rules/schemes'
import type { TargetOf } from '@dogwatch/check-rules/target'
import type { Check } from '@dogwatch/monitor-sdk'
import type { Attempt } from './attempt.ts'

/** Starts a request to a target of some scheme. Events on its sockets end the attempt. */
export type Probe<Some extends ProbedScheme = ProbedScheme> = (
  attempt: Attempt,
  target: TargetOf<Some>,
  check: Check,
) => void
