// What changes by the configuration API cost: creating checks one by one and in bulk, and bulk changes of every kind, against the same
// inserts by the driver; and what syncs feel of changes that others make.
// npm run bench -- write [--only create|kinds|syncs] [--short]
import { addToFleet, loadFleet } from '../lab/fleet.ts'
import { onStage, type Stage } from '../lab/stage.ts'
import { compareCreating } from './write/creating.ts'
import { compareKinds } from './write/kinds.ts'
import { compareSyncs } from './write/syncs.ts'
import { inTurn, makeWriters } from './write/writers.ts'

/** Each may change so many things in a burst that a bench needs many. */
const ORGS = 300
const SHORT_ORGS = 200

/** Bulk requests of every kind need no other checks. */
const FEW = { orgs: 1, checks: 100, monitors: 4, groups: 2 }

await onStage(async (stage) => {
  if (stage.flags.only === 'kinds') return aloneOfKinds(stage)
  const monitors = await loadFleet(stage)
  const server = await stage.serve({ ADDRESS_RATE_LIMIT: 'off' })
  const writers = await makeWriters(stage, stage.flags.short ? SHORT_ORGS : ORGS)
  const { only } = stage.flags
  // Each request has two others: all monitors hear of changes alike.
  const ids = inTurn(monitors.map(({ id }, n) => [id, monitors[(n + 1) % monitors.length]?.id ?? id]))
  if (only === undefined || only === 'create') await compareCreating(stage, server, writers, ids)
  if (only === undefined) await compareKinds(stage, server, writers, ids)
  if (only === undefined || only === 'syncs') await compareSyncs(stage, server, writers, { monitors, ids })
})

async function aloneOfKinds(stage: Stage): Promise<void> {
  const { monitors } = await addToFleet(stage, FEW)
  const server = await stage.serve({ ADDRESS_RATE_LIMIT: 'off' })
  const [first, second] = monitors.map(({ id }) => id)
  await compareKinds(stage, server, await makeWriters(stage, 1), () => [first, second].filter((id) => id !== undefined))
}
