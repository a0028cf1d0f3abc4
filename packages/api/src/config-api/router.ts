// Routes the configuration API. All data comes from the primary, because a client that has just changed something must
// see the change.
import { tidyTag } from '@dogwatch/check-rules/tags'
import { document, type operations } from '@dogwatch/contract/config'
import { CHECK } from '@dogwatch/domain/configuration/checks'
import { STATUS_PAGE } from '@dogwatch/domain/configuration/status-page'
import { authenticateConfigurator, type Configurator, requireScope } from '@dogwatch/domain/configuration/tokens'
import type { Deps } from '@dogwatch/domain/deps'
import { CONFIGURATION_CHANGES, CONFIGURATION_DRY_RUNS } from '@dogwatch/domain/limits/rates'
import { TOO_OFTEN } from '@dogwatch/domain/limits/spend'
import { readOrganisation } from '@dogwatch/domain/organisations/organisation'
import { Router } from 'express'
import type { Admission } from '../admission.ts'
import { implement } from '../implement.ts'
import type { ContractDocument } from '../routes.ts'
import { slotOwnerOf } from '../shed.ts'
import { AUDIT } from './audit.ts'
import { bulkOf, type SpendChanges } from './bulk.ts'
import { channelOperations } from './channels.ts'
import type { ConfigCallers, ConfigContract, ConfigHandlers, Resource } from './contract.ts'
import { DELIVERIES } from './deliveries.ts'
import { heartbeatOperations } from './heartbeats.ts'
import { INCIDENTS } from './incidents.ts'
import { MAINTENANCE } from './maintenance.ts'
import { metricsOf } from './metrics.ts'
import { MONITORS } from './monitors.ts'
import { MUTES } from './mutes.ts'
import { CONFIG_API } from './prefix.ts'
import { resourceOf } from './resource.ts'
import { RESULTS } from './results.ts'
import { ROUTES } from './routes.ts'
import { runOperations } from './runs.ts'
import { scopesOf } from './scopes.ts'
import { SUMMARIES } from './summaries.ts'
import { TAGS } from './tags.ts'
import { toToken } from './wire.ts'

export interface ConfigApiOptions {
  validateResponses?: boolean
  /** Stricter copy of the published document, for tests. */
  contract?: ContractDocument
  /** Whether to omit limits per token, for tests and benchmarks of the code behind these limits. */
  unlimited?: boolean
  /** Called with the id of a monitor when a client requests a run from it. */
  onAsked?: (monitor_id: string) => void
  /** Start of the URLs in responses that other systems use, such as ping URLs. */
  public_url?: string
  /** Whether this server has a mail server. */
  sends_mail?: boolean
  /** Maximum number of checks, and of heartbeats, in one response with metrics. */
  most_measured?: number
}

/** Size limits of bodies. `otherwise`: limit of the operations that are not listed. */
const BODY_LIMITS = {
  otherwise: { bytes: 131_072, status: 413 },
  changeInBulk: { bytes: 2_097_152, status: 413 },
  replaceStatusPage: { bytes: 1_048_576, status: 413 },
} as const

interface ConfigRequest {
  caller: Configurator
  query: Readonly<{ tag?: string }>
}

/** Returns a request whose filter by tag has the spelling of stored tags. */
function withTidyTag(input: ConfigRequest): ConfigRequest {
  const { query } = input
  return query.tag === undefined ? input : { ...input, query: { ...query, tag: tidyTag(query.tag) } }
}

export function configApi(
  deps: Deps,
  admission: Admission,
  {
    contract = document,
    unlimited = false,
    onAsked = () => {},
    public_url = '',
    sends_mail = true,
    most_measured,
    ...options
  }: ConfigApiOptions = {},
): Router {
  const ours = { ...deps, lacks_mail: !sends_mail }
  const { limiter } = admission
  const withDeps = <Id extends keyof operations>(resource: Resource<Id>): Pick<ConfigHandlers, Id> => {
    const entries = Object.entries(resource) as [string, (deps: Deps, input: ConfigRequest) => unknown][]
    const tidying = entries.map(([id, handle]) => [
      id,
      async (input: ConfigRequest) => handle(ours, withTidyTag(input)),
    ])
    return Object.fromEntries(tidying) as Pick<ConfigHandlers, Id>
  }
  const spendChanges: SpendChanges = async ({ org_id, token_id }, { count, dry_run }) => {
    if (unlimited) return
    const [limit, subject] = dry_run ? [CONFIGURATION_DRY_RUNS, token_id] : [CONFIGURATION_CHANGES, org_id]
    await limiter.require(limit, String(subject), TOO_OFTEN, count)
  }
  const handlers: ConfigHandlers = {
    getToken: async ({ caller, reply }) =>
      reply(200, toToken(caller, (await readOrganisation(deps, caller.org_id)).name)),
    ...withDeps(resourceOf(CHECK, { name: 'Check', plural: 'checks', id: 'guid' })),
    ...withDeps(heartbeatOperations(public_url)),
    ...withDeps(bulkOf(spendChanges)),
    ...withDeps(channelOperations(limiter)),
    ...withDeps(DELIVERIES),
    ...withDeps(RESULTS),
    ...withDeps(MUTES),
    ...withDeps(metricsOf(most_measured)),
    ...withDeps(MONITORS),
    ...withDeps(TAGS),
    ...withDeps(INCIDENTS),
    ...withDeps(ROUTES),
    ...withDeps(MAINTENANCE),
    ...withDeps(runOperations(limiter, onAsked)),
    ...withDeps(AUDIT),
    ...withDeps(SUMMARIES),
    // There is only one status page, so its path contains no id.
    ...withDeps(resourceOf(STATUS_PAGE, { name: 'StatusPage', plural: 'status-page', id: 'id' })),
  }
  const scopes = scopesOf(contract)
  const changes = [...scopes].filter(([, scope]) => scope.endsWith(':write'))
  const authorise = (operationId: string, caller: unknown): void => {
    const needed = scopes.get(operationId)
    if (needed === undefined) throw new Error(`no access is declared for ${operationId}`)
    requireScope(caller as Configurator, needed)
  }
  const security = {
    configurationToken: (token: string, address: string) => authenticateConfigurator(deps, token, address),
  }
  const router = Router()
  const implementing = implement<ConfigContract, ConfigCallers>(contract, security, handlers, {
    ...options,
    bodyLimits: BODY_LIMITS,
    authorise,
    gates: {
      admission,
      prefix: CONFIG_API,
      surface: 'config-api',
      isUnlimited: unlimited,
      lanes: Object.fromEntries(changes.map(([operationId]) => [operationId, 'config-change' as const])),
      ownerOf: (caller) => slotOwnerOf(caller as Configurator),
    },
  })
  router.use(implementing)
  return router
}
