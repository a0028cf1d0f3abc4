// Sends hostile definitions of all kinds through the configuration API, and has an agent run those that are accepted.
import { SCHEME_ROWS } from '../../../packages/check-rules/dist/schemes.js'
import { createConfigurationToken } from '../../../packages/server/dist/domain/configuration/tokens.js'
import { setLimitsGiven } from '../../../packages/server/dist/domain/organisations/organisation.js'
import { dice } from '../../../packages/server/test/support/dice.ts'
import { hostileDefinition } from '../../../packages/server/test/support/hostile-definitions.ts'
import { type Outcome, tally, until } from '../../lab/proof.ts'
import { numberOf, type Org, openOrg, query, UNLIMITED, type World } from '../../lab/world.ts'
import { watchAgent } from './agent.ts'
import type { Amount } from './requests.ts'
import { openTarget, type Port } from './target.ts'

/** Numbers of changes and of requests that an organisation and a token may make at once. */
const [OF_ORG, OF_TOKEN] = [2000, 200]
const AT_ONCE = 8
const INTERVAL_SEC = 10
/** Maximum time until each check has run, with the longest timeout. */
const RUN_MS = 180_000

export async function proveDefinitions(world: World, { count, seed }: Amount): Promise<Outcome> {
  const d = dice(seed)
  const server = await world.serve({ ...UNLIMITED, ADDRESS_RATE_LIMIT: 'off' })
  const target = openTarget(dice(seed + 1), world.undo)
  const ports = new Map<string, Port>()
  for (const { name } of SCHEME_ROWS) ports.set(name, await target.open(name))
  const portOf = (scheme: string): number => ports.get(scheme)?.port ?? 1
  const [statuses, outcomes] = [new Map<string, number>(), new Map<string, number>()]
  const faults: string[] = []
  let [peak_mb, ran, accepted] = [0, 0, 0]
  for (let sent = 0; sent < count; sent += OF_ORG) {
    const org = await openOrg(world.deps, `definitions ${sent}`)
    await setLimitsGiven(world.deps, org.org_id, { min_interval_sec: 1, max_checks: 0 })
    const bodies = Array.from({ length: Math.min(OF_ORG, count - sent) }, () => hostileDefinition(d, portOf))
    await sendAll(server.url, await tokensOf(world, org), bodies, { statuses, faults })
    const guids = await runnable(world, org)
    accepted += await numberOf(world.deps, 'select count(*) from checks where org_id = $1', org.org_id)
    const agent = await watchAgent({ world, url: server.url, org, cert: target.cert })
    await until(() => guids.every((guid) => agent.ended.has(guid)), RUN_MS)
    const silent = guids.filter((guid) => !agent.ended.has(guid))
    const end = await agent.finish()
    peak_mb = Math.max(peak_mb, end.peak_mb)
    ran += guids.length - silent.length
    for (const [kind, runs] of agent.outcomes) outcomes.set(kind, (outcomes.get(kind) ?? 0) + runs)
    faults.push(...end.faults, ...silent.slice(0, 3).map((guid) => `${guid} of ${org.name} has not run`))
  }
  await server.stop()
  return {
    faults: [...faults.slice(0, 10), ran === 0 && 'no definition was run'],
    figures: [
      `${count} definitions: ${tally(statuses)}`,
      `${accepted} accepted, ${ran} run at least once: ${tally(outcomes)}`,
      `peak of the agent ${peak_mb.toFixed(0)} MB`,
    ],
  }
}

/** Returns as many tokens as the requests for an organisation need. */
function tokensOf({ deps }: World, { org_id }: Org): Promise<string[]> {
  const tokens = Array.from({ length: OF_ORG / OF_TOKEN }, (_, n) =>
    createConfigurationToken(deps, org_id, { name: `${n}`, scopes: ['write'] }),
  )
  return Promise.all(tokens.map(async (made) => (await made).token))
}

interface Seen {
  statuses: Map<string, number>
  faults: string[]
}

/** Sends each definition in a bulk request of its own, so that it alone decides the response. */
async function sendAll(
  url: string,
  tokens: readonly string[],
  bodies: readonly Record<string, unknown>[],
  { statuses, faults }: Seen,
): Promise<void> {
  const left = [...bodies.entries()]
  const lane = async (): Promise<void> => {
    for (let next = left.pop(); next; next = left.pop()) {
      const [n, definition] = next
      // The definitions that may be valid are due soon.
      const body = definition.interval_sec === 60 ? { ...definition, interval_sec: INTERVAL_SEC } : definition
      const text = JSON.stringify({ changes: [{ action: 'put', kind: 'check', key: `d${n}`, body }] })
      const headers = { Authorization: `Bearer ${tokens[n % tokens.length]}`, 'Content-Type': 'application/json' }
      const response = await fetch(`${url}/config-api/v1/bulk`, { method: 'POST', headers, body: text })
      const words = await response.text()
      const { status } = response
      statuses.set(`with ${status}`, (statuses.get(`with ${status}`) ?? 0) + 1)
      if (status !== 200 && status !== 400) faults.push(`${status} ${words.slice(0, 300)} to ${text.slice(0, 500)}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
}

/** Returns the guids of the checks that an agent runs within a few seconds. */
async function runnable({ deps }: World, { org_id }: Org): Promise<string[]> {
  const rows = await query<{ guid: string }>(
    deps,
    `select guid from checks
     where org_id = $1 and enabled and url <> '' and interval_sec <= $2 and not is_judged_by_server(url)`,
    org_id,
    INTERVAL_SEC,
  )
  return rows.map(({ guid }) => guid)
}
