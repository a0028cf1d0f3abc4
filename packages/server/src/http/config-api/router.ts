// Routes the configuration API. All data comes from the primary, because a client that has just changed something must
// see the change.
import { tidyTag } from '@dogwatch/check-rules/tags'
import { document, type operations } from '@dogwatch/contract/config'
import { Router } from 'express'
import { authenticateConfigurator, type Configurator, requireScope } from '../../domain/configuration/tokens.ts'
import type { Deps } from '../../domain/deps.ts'
import { CONFIGURATION_CHANGES, CONFIGURATION_DRY_RUNS, CONFIGURATION_TOKEN } from '../../domain/limits/rates.ts'
import { type Limit, type RateLimiter, TOO_OFTEN } from '../../domain/limits/spend.ts'
import { readOrganisation } from '../../domain/organisations/organisation.ts'
import { FairQueue, type Origin } from '../../runtime/fair-queue.ts'
import { type Connection, implement } from '../implement.ts'
import type { RouteParts } from '../parts.ts'
import { Places } from '../places.ts'
import type { ContractDocument } from '../routes.ts'
import { BULK_BODIES, bulkOf, type SpendChanges } from './bulk.ts'
import { AUDIT } from './audit.ts'
import { CHECK_BODIES, CHECKS } from './checks.ts'
import { CHANNEL_BODIES, channelOperations } from './channels.ts'
import { DELIVERIES } from './deliveries.ts'
import { HEARTBEAT_BODIES, heartbeatOperations } from './heartbeats.ts'
import type { ConfigCallers, ConfigContract, ConfigHandlers, Resource } from './contract.ts'
import { INCIDENT_BODIES, INCIDENTS } from './incidents.ts'
import { MAINTENANCE, MAINTENANCE_BODIES } from './maintenance.ts'
import { metricsOf } from './metrics.ts'
import { MONITOR_BODIES, MONITORS } from './monitors.ts'
import { MUTE_BODIES, MUTES } from './mutes.ts'
import { CONFIG_API } from './prefix.ts'
import { RESULTS } from './results.ts'
import { ROUTE_BODIES, ROUTES } from './routes.ts'
import { runOperations } from './runs.ts'
import { scopesOf } from './scopes.ts'
import { STATUS_PAGE_BODIES, STATUS_PAGES } from './status-page.ts'
import { TAG_BODIES, TAGS } from './tags.ts'
import { SUMMARIES } from './summaries.ts'
import { toToken } from './wire.ts'

export interface ConfigApiOptions {
  validateResponses?: boolean
  /** A stricter copy of the published document, for tests. */
  contract?: ContractDocument
  /** Limits of requests in progress. */
  bounds?: ConfigBounds
  /** Whether there are no limits per token, for tests and benchmarks of the code behind them. */
  unlimited?: boolean
  /** Called for each request that is refused because its organisation has its share already. */
  onExcess?: () => void
  /** Called with each monitor that gets a requested run. */
  onAsked?: (monitor_id: string) => void
  /** Beginning of the URLs that external systems use. */
  public_url?: string
  /** Whether this server has a mail server. */
  sends_mail?: boolean
  /** Maximum number of checks, and of heartbeats, in one response with metrics. */
  most_measured?: number
  /** Receives the part of each route. */
  parts?: RouteParts | undefined
}

export interface ConfigBounds {
  /** Maximum number of requests in progress, including those that wait for others. Organisations get fair shares. */
  places: number
  /** Maximum number of requests that are handled at once, in all and for one organisation. */
  at_once: number
  of_org: number
}

/**
 * Returns the limits for a pool size. Changes wait for each other with a connection, so half of the connections stay free for the
 * console.
 */
export function configBoundsFor(pool_size: number): ConfigBounds {
  const at_once = Math.max(1, Math.floor(pool_size / 2))
  return { places: 16 * pool_size, at_once, of_org: Math.max(1, Math.floor(at_once / 2)) }
}

const BODY_LIMITS = {
  ...BULK_BODIES,
  ...CHANNEL_BODIES,
  ...MONITOR_BODIES,
  ...TAG_BODIES,
  ...CHECK_BODIES,
  ...HEARTBEAT_BODIES,
  ...INCIDENT_BODIES,
  ...MUTE_BODIES,
  ...ROUTE_BODIES,
  ...MAINTENANCE_BODIES,
  ...STATUS_PAGE_BODIES,
}

interface ConfigRequest {
  caller: Configurator
  query: Readonly<{ tag?: string }>
}

/** Returns a request whose filter has its tag in the spelling of stored tags. */
function withTidyTag(input: ConfigRequest): ConfigRequest {
  const { query } = input
  return query.tag === undefined ? input : { ...input, query: { ...query, tag: tidyTag(query.tag) } }
}

function turnOf({ org_id }: Configurator): Origin {
  return { group: String(org_id), client: String(org_id) }
}

export function configApi(
  deps: Deps,
  limiter: RateLimiter,
  {
    contract = document,
    bounds = configBoundsFor(8),
    unlimited = false,
    onExcess = () => {},
    onAsked = () => {},
    public_url = '',
    sends_mail = true,
    most_measured,
    parts,
    ...options
  }: ConfigApiOptions = {},
): Router {
  const ours = { ...deps, lacks_mail: !sends_mail }
  const places = new Places({ places: bounds.places, of_caller: Infinity, onExcess })
  const turns = new FairQueue({ at_once: bounds.at_once, of_client: bounds.of_org })
  const inTurn = <Id extends keyof operations>(resource: Resource<Id>): Pick<ConfigHandlers, Id> => {
    const entries = Object.entries(resource) as [string, (deps: Deps, input: ConfigRequest) => unknown][]
    const waiting = entries.map(([id, handle]) => [
      id,
      (input: ConfigRequest) => turns.run(turnOf(input.caller), async () => handle(ours, withTidyTag(input))),
    ])
    return Object.fromEntries(waiting) as Pick<ConfigHandlers, Id>
  }
  const spend = (limit: Limit, subject: number, count?: number): Promise<void> =>
    limiter.require(limit, String(subject), TOO_OFTEN, count)
  const spendChanges: SpendChanges = async ({ org_id, token_id }, { count, dry_run }) => {
    if (!unlimited)
      await (dry_run ? spend(CONFIGURATION_DRY_RUNS, token_id, count) : spend(CONFIGURATION_CHANGES, org_id, count))
  }
  const handlers: ConfigHandlers = {
    getToken: async ({ caller, reply }) =>
      reply(200, toToken(caller, (await readOrganisation(deps, caller.org_id)).name)),
    ...inTurn(CHECKS),
    ...inTurn(heartbeatOperations(public_url)),
    ...inTurn(bulkOf(spendChanges)),
    ...inTurn(channelOperations(limiter)),
    ...inTurn(DELIVERIES),
    ...inTurn(RESULTS),
    ...inTurn(MUTES),
    ...inTurn(metricsOf(most_measured)),
    ...inTurn(MONITORS),
    ...inTurn(TAGS),
    ...inTurn(INCIDENTS),
    ...inTurn(ROUTES),
    ...inTurn(MAINTENANCE),
    ...inTurn(runOperations(limiter, onAsked)),
    ...inTurn(AUDIT),
    ...inTurn(SUMMARIES),
    ...inTurn(STATUS_PAGES),
  }
  const scopes = scopesOf(contract)
  const limit = async (operationId: string, caller: unknown, connection: Connection): Promise<void> => {
    const configurator = caller as Configurator
    const needed = scopes.get(operationId)
    if (needed === undefined) throw new Error(`no access is declared for ${operationId}`)
    requireScope(configurator, needed)
    if (!unlimited) {
      await spend(CONFIGURATION_TOKEN, configurator.token_id)
      if (needed.endsWith(':write')) await spend(CONFIGURATION_CHANGES, configurator.org_id)
    }
    places.take({ caller: String(configurator.token_id), owner: String(configurator.org_id) }, connection)
  }
  const security = {
    configurationToken: (token: string, address: string) => authenticateConfigurator(deps, token, address),
  }
  const mount = parts && { surface: 'config-api' as const, prefix: CONFIG_API, parts }
  const rest = { ...options, bodyLimits: BODY_LIMITS, limit, ...(mount && { mount }) }
  const router = Router()
  router.use(implement<ConfigContract, ConfigCallers>(contract, security, handlers, rest))
  return router
}
