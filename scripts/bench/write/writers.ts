// Organisations that change something by the configuration API, and how they send it.
import { createConfigurationToken } from '../../../packages/server/dist/domain/configuration/tokens.js'
import { createOrganisation } from '../../../packages/server/dist/domain/organisations/organisation.js'
import { depsOf } from '../../lab/archive.ts'
import { Lane, request } from '../../lab/lane.ts'
import { type Stage, say } from '../../lab/stage.ts'
import type { Target } from '../support/arms.ts'

/** Number of changes in a bulk request, and in one transaction of the driver. */
export const MANY = 1000

export interface Writer {
  org_id: number
  token: string
}

/** Makes organisations without limits for checks, each with a token. */
export async function makeWriters(stage: Stage, count: number): Promise<Writer[]> {
  say(`making ${count} organisations that write`)
  const deps = depsOf(stage)
  const writers: Writer[] = []
  for (let n = 0; n < count; n++) {
    const owner_email = `writer-${n}@example.com`
    const { org_id } = await createOrganisation(deps, { name: `writer ${n}`, plan: 'team', owner_email })
    const { token } = await createConfigurationToken(deps, org_id, { name: 'bench', scopes: ['write'] })
    writers.push({ org_id, token })
  }
  await stage.database.pools.machines.query(
    `update organisations set plan = 'custom', custom_limits = '{"max_checks": 0, "max_heartbeats": 1000000, "max_channels": 0, "min_interval_sec": 10}' where org_id = any($1)`,
    [writers.map(({ org_id }) => org_id)],
  )
  return writers
}

export function checkBody(monitors: readonly string[]) {
  return { name: 'Shop', url: 'https://shop.example.com/health', interval_sec: 60, monitors }
}

/** Returns a function that returns the items in turn. */
export function inTurn<Item>(items: readonly Item[]): () => Item {
  let at = 0
  return () => items[at++ % items.length] as Item
}

type Poster = (path: string, writer: Writer, body: object, lane?: number, method?: 'POST' | 'PATCH') => Promise<void>

/** Returns a function that sends changes, on a connection for each lane. */
export function openPoster({ server }: Target): Poster {
  const open: Lane[] = []
  return async (path, { token: key }, body, lane = 0, method = 'POST') => {
    const found = open[lane]
    const on = found?.isOpen ? found : (open[lane] = await Lane.open(server.port))
    const answer = await on.ask(request(method, path, { key, body: JSON.stringify(body), api: 'config-api' }))
    if (answer.status >= 300)
      throw new Error(`${path} was answered ${answer.status} ${answer.body.toString('utf8', 0, 300)}`)
  }
}
