// Declares a probe: it requests a target within limits of time, addresses and memory, and reports what it saw without judging it.
import type { ProbedScheme } from '@dogwatch/check-rules/schemes'
import type { TargetOf } from '@dogwatch/check-rules/target'
import type { Check } from '@dogwatch/monitor-sdk'
import type { Attempt } from './attempt.ts'

/** Starts a request to a target with one of these schemes. Events on the sockets of the request end the attempt. */
export type Probe<Some extends ProbedScheme = ProbedScheme> = (
  attempt: Attempt,
  target: TargetOf<Some>,
  check: Check,
) => void
