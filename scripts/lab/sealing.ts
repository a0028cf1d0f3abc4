// Seals all past hours in a database, with the functions that production uses, one after the other.

import type { Deps } from '../../packages/domain/dist/deps.js'
import { foldHistory } from '../../packages/domain/dist/results/history.js'
import { dropSealed } from '../../packages/domain/dist/results/partitions.js'
import { closeHours, sealSome } from '../../packages/domain/dist/results/seal.js'
import type { Clock } from '../../packages/runtime/dist/clock.js'
import { isTimedOut } from '../../packages/runtime/dist/database-faults.js'
import { readSealProgress } from '../../packages/store/dist/results/sealing/sealing.js'
import { say } from './stage.ts'

/** Time since sealing began, in milliseconds. It is more than processes need to notice it. */
const BEGUN_MS = 120_000
const STEP_MS = 100
const MOST_CHECKS = 20_000

/** Seals all past hours. Returns the time until which hours are sealed. Servers that start later know this time at once. */
export async function sealPast(deps: Deps): Promise<string> {
  say('folding hours and days')
  await foldHistory(deps, MOST_CHECKS)
  const { clock } = deps
  const before: Clock = { ...clock, now: () => new Date(clock.now().getTime() - BEGUN_MS) }
  await closeHours({ ...deps, clock: before })
  await closeHours(deps)
  say('sealing hours')
  await sealAll(deps)
  const { sealed_until, settled } = await readSealProgress(deps.database.machines)
  if (sealed_until < settled) throw new Error(`hours are sealed until ${sealed_until} and not until ${settled}`)
  await dropSealed(deps, sealed_until)
  deps.database.sealing.forget()
  return sealed_until
}

/** Seals all hours without the pauses of the chore, in steps of the same size. */
async function sealAll(deps: Deps): Promise<void> {
  for (let checks = 8; ; ) {
    const begun = performance.now()
    try {
      if (!(await sealSome(deps, checks))) return
    } catch (error) {
      if (!isTimedOut(error) || checks === 1) throw error
    }
    const share = Math.min(STEP_MS / (performance.now() - begun), 4)
    checks = Math.min(Math.max(Math.floor(checks * share), 1), MOST_CHECKS)
  }
}
