// Organisations that change something by the configuration API, and how they send it.
import { createConfigurationToken } from '../../../packages/server/dist/domain/configuration/tokens.js'
import type { Deps } from '../../../packages/server/dist/domain/deps.js'
import { createOrganisation } from '../../../packages/server/dist/domain/organisations/organisation.js'
import { systemClock } from '../../../packages/server/dist/runtime/clock.js'
import { createLog } from '../../../packages/server/dist/runtime/log.js'
import { systemRandom } from '../../../packages/server/dist/runtime/random.js'
import { type Lane, request } from '../../lab/lane.ts'
import { type Stage, say } from '../../lab/stage.ts'

/** Things of a bulk request, and of one transaction of the driver. */
export const MANY = 1000

export interface Writer {
  org_id: number
  token: string
}

/** Organisations that may have as many checks as they like, each with a token. */
export async function makeWriters({ database }: Stage, count: number): Promise<Writer[]> {
  say(`making ${count} organisations that write`)
  const deps: Deps = { database, clock: systemClock, random: systemRandom, log: createLog('warn') }
  const writers: Writer[] = []
  for (let n = 0; n < count; n++) {
    const owner_email = `writer-${n}@example.com`
    const { org_id } = await createOrganisation(deps, { name: `writer ${n}`, plan: 'team', owner_email })
    const { token } = await createConfigurationToken(deps, org_id, { name: 'bench', scopes: ['write'] })
    writers.push({ org_id, token })
  }
  await database.pools.machines.query(
    `update organisations set plan = 'custom', custom_limits = '{"max_checks": 0, "max_heartbeats": 1000000, "max_channels": 0, "min_interval_sec": 10}' where org_id = any($1)`,
    [writers.map(({ org_id }) => org_id)],
  )
  return writers
}

/** They take turns, so that nobody exceeds a limit. */
export function inTurn<Thing>(things: readonly Thing[]): () => Thing {
  let at = 0
  return () => things[at++ % things.length] as Thing
}

export interface Change {
  action: 'put' | 'delete'
  kind: string
  key: string
  body?: object
}

export async function post(
  lane: Lane | undefined,
  key: string,
  path: string,
  body: string,
  wanted: number,
): Promise<void> {
  const answer = await lane?.ask(request('POST', path, { key, body, api: 'config-api' }))
  if (answer?.status !== wanted)
    throw new Error(`${path} was answered ${answer?.status} ${answer?.body.toString('utf8', 0, 300)}`)
}
