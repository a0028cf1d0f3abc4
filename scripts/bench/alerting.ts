// What alerting costs and how fast it is: ingest with and without it, the time from a failing result to its webhook,
// and the sweep over heartbeats.
// npm run bench -- alerting [--only ingest|sweep|latency] [--short]

import { loadFleet } from '../lab/fleet.ts'
import { onStage, type Stage } from '../lab/stage.ts'
import { compareIngest } from './alerting/ingest.ts'
import { measureLatency } from './alerting/latency.ts'
import { measureSweep } from './alerting/sweep.ts'

await onStage(async (stage) => {
  const monitors = await loadFleet(stage)
  await addRoutes(stage)
  const { only } = stage.flags
  const parts: Record<string, () => Promise<void>> = {
    ingest: () => compareIngest(stage, monitors),
    sweep: () => measureSweep(stage),
    latency: () => measureLatency(stage, monitors),
  }
  if (only !== undefined && !parts[only]) throw new Error(`--only is one of ${Object.keys(parts).join(', ')}`)
  for (const [name, measure] of Object.entries(parts)) if (only === undefined || name === only) await measure()
})

/** Every organisation has routes, of which none matches: whatever is raised is held against all of them, and goes to every channel. */
async function addRoutes({ database }: Stage): Promise<void> {
  await database.pools.machines.query(`
    insert into alert_routes (org_id, guid, name, position, scope, events, delay_sec, steps, enabled, created_at)
    select org_id, gen_random_uuid()::text, 'team ' || n, n, jsonb_build_object('tags', jsonb_build_array('team-' || n)), '{down,up}', 300,
      '[{"after_sec": 0, "channel_ids": [1]}]', true, now()
    from organisations, generate_series(1, 10) n`)
}
