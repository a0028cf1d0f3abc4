// Most of a service's months are sealed hours, and some results came for them since. It is sealed by the product's own functions, with a
// clock that is moved past what they wait for.
import type { Deps } from '../../../packages/server/dist/domain/deps.js'
import { foldHistory } from '../../../packages/server/dist/domain/results/history.js'
import { sealHours } from '../../../packages/server/dist/domain/results/seal.js'
import { until } from '../../lab/world.ts'

const MINUTE_MS = 60_000
const SEALED_MS = 600_000

/** Before servers start: else they might read rows alone for some seconds. */
export async function turnSealingOn(deps: Deps): Promise<void> {
  await sealHours({ ...deps, seals_hours: true })
}

export async function sealPast(deps: Deps): Promise<void> {
  const now = () => new Date(Date.now() + 2 * MINUTE_MS)
  const sealing: Deps = { ...deps, clock: { ...deps.clock, now, asTold: now }, seals_hours: true }
  let refusal: string | undefined
  const isDone = async (): Promise<boolean> => {
    await foldHistory(sealing)
    ;({ refusal } = await sealHours(sealing))
    const { rows } = await deps.database.pools.machines.query<{ is_done: boolean }>(DONE)
    return rows[0]?.is_done === true
  }
  if (!(await until(isDone, SEALED_MS))) throw new Error(`hours are not sealed: ${refusal ?? 'that takes long'}`)
}

const DONE = `
  select sealed_until >= date_trunc('hour', now() - interval '20 minutes') as is_done from seal_progress`
