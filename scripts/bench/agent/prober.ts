// Runs the agent's probes in a process of their own: a check repeatedly, as often as a message asks.
import { runCheck } from '../../../packages/agent/dist/run/run-check.js'
import type { Check } from '../../../packages/monitor-sdk/dist/index.js'

export interface Task {
  id: number
  check: Check
  times: number
}

export interface TaskResult {
  id: number
  /** Error of the last run that failed. Absent if all succeeded. */
  error?: string
}

const signal = new AbortController().signal
// The agent inverts a result later, once it knows that the network was up.
const options = { public_targets_only: false, is_upright: true, now: () => new Date(), signal }

process.on('message', async ({ id, check, times }: Task) => {
  const done: TaskResult = { id }
  for (let left = times; left > 0; left--) {
    const { success, error } = await runCheck(check, options)
    if (!success) done.error = error
  }
  process.send?.(done)
})
process.on('disconnect', () => process.exit())
process.on('SIGTERM', () => process.exit())
