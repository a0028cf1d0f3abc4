// What alerting costs and how fast it is: ingest with and without it, the time from a failing result to its webhook,
// and the sweep over heartbeats.

import { loadFleet } from '../lab/fleet.ts'
import { onStage } from '../lab/stage.ts'
import { compareIngest } from './alerting/ingest.ts'
import { measureLatency } from './alerting/latency.ts'
import { measureSweep } from './alerting/sweep.ts'

await onStage(async (stage) => {
  const monitors = await loadFleet(stage)
  await compareIngest(stage, monitors)
  await measureSweep(stage)
  await measureLatency(stage, monitors)
})
