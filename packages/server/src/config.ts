// Reads the settings once from environment variables and flags, and reports all faults in one message.
import { isIP } from 'node:net'
import { LOG_FORMATS, type LogFormat } from '@dogwatch/check-rules/log-text'
import { ANY_NUMBER, type Bounds, DEFAULT_BOUNDS } from '@dogwatch/domain/limits/bounds'
import { DEFAULT_PLANS, type DefaultPlan } from '@dogwatch/domain/organisations/plans'
import { SIGN_UP_MODES, type SignUpMode } from '@dogwatch/domain/people/sign-up-mode'
import { hasOpenLogin, refusesEncryption } from '@dogwatch/runtime/mail-login'
import { z } from 'zod'

export interface Config {
  port: number
  host: string
  /** URL of the database. Absent means the embedded Postgres in the data directory. */
  database_url: string | undefined
  /**
   * URL of the same database without the pooler, for migrations and LISTEN. Absent if `database_url` does not lead to a pooler.
   */
  database_direct_url: string | undefined
  /** URL of a standby for reads of the account API. Absent if there is none. */
  database_replica_url: string | undefined
  /** Maximum lag of the standby in seconds. Reads do not use a standby that is further behind. */
  database_replica_lag_sec: number
  /** Whether to use named prepared statements, which a pooler in transaction mode may not support. */
  database_prepared: boolean
  /** Number of connections of each of the three pools. */
  database_pool_size: number
  data_dir: string
  public_url: string
  /** Whether PUBLIC_URL is set. If not, the public URL consists of HOST and PORT. */
  is_public_url_set: boolean
  trust_proxy: readonly string[]
  address_limit: { per_sec: number; burst: number } | undefined
  /** Maximum number of open connections of one address. Absent if switched off. */
  address_connections: number | undefined
  /** Number of alerts that a channel gets one by one before a summary replaces them. Undefined means no limit. */
  alerts_of_channel: AlertBudget | undefined
  alerts_of_org: AlertBudget | undefined
  alerts_to_mailbox: AlertBudget | undefined
  alerts_of_org_by_ntfy: AlertBudget | undefined
  egress_allow: readonly string[]
  smtp_url: string | undefined
  mail_from: string | undefined
  /** Whether the password of `smtp_url` may go to a server that offers no encryption. */
  smtp_cleartext_login: boolean
  ntfy_url: string
  /** Origins whose pages may read the account API in a browser (CORS). A lone `*` means all. */
  cors_origins: readonly string[]
  log_level: string
  /** Format of the log. Absent means text on a terminal and JSON everywhere else. */
  log_format: LogFormat | undefined
  /** Port for metrics. Undefined if no metrics are served. */
  metrics_port: number | undefined
  metrics_host: string
  /** Folder with archives of the agent that were built elsewhere. Undefined means those of the checkout or the image. */
  agent_archives: string | undefined
  /** Seconds from reporting that the process is not ready until it refuses connections. */
  drain_sec: number
  /** Mode of sign-up: open to everyone, by invitation, or closed. */
  sign_up: SignUpMode
  default_plan: DefaultPlan
  /** Whether a server of the role `all` runs the built-in monitor. */
  local_monitor: boolean
  /** Settings of the OpenID provider. Undefined if users sign in by password and passkey only. */
  oidc: OidcConfig | undefined
  /** Limits of each organisation, and of each person. */
  bounds: Bounds
}

export interface OidcConfig {
  issuer: string
  client_id: string
  client_secret: string
  name: string
  allowed_domains: readonly string[]
  required_groups: readonly string[]
  groups_claim: string
}

export interface AlertBudget {
  per_hour: number
  burst: number
}

/** Error about invalid settings, with one line for each fault. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(faults.join('\n'))
    this.faults = faults
  }
}

/** Names that Express accepts in addition to addresses and ranges. */
const PROXY_NAMES = ['loopback', 'linklocal', 'uniquelocal']
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

const url = (schemes: readonly string[]) =>
  z
    .string()
    .refine((text) => URL.canParse(text) && schemes.some((scheme) => text.toLowerCase().startsWith(`${scheme}://`)), {
      error: `must be a URL that starts with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
    })

const port = z
  .string()
  .regex(/^\d{1,5}$/, { error: 'must be a port number from 0 to 65535' })
  .transform(Number)
  .refine((number) => number <= 65535, { error: 'must be a port number from 0 to 65535' })

const host = z
  .string()
  .refine((text) => isIP(text) !== 0 || /^[\w.-]+$/.test(text), { error: 'must be an IP address or a host name' })

/** Returns a schema for addresses, ranges and the given names. `widest` is the shortest prefix length that a range may have. */
const ranges = (names: readonly string[], widest: number) =>
  z
    .string()
    .transform((text) => listed(text))
    .refine((parts) => parts.every((part) => names.includes(part) || isRange(part, widest)), {
      error: 'must be a comma-separated list of addresses or ranges, for example 10.0.0.0/8',
    })

const whole = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, { error: `must be a whole number from ${least} to ${most}` })
    .transform(Number)
    .refine((number) => number >= least && number <= most, { error: `must be a whole number from ${least} to ${most}` })

const onOrOff = z.enum(['on', 'off'], { error: 'must be on or off' }).transform((text) => text === 'on')

const addressLimit = z
  .string()
  .regex(/^(off|\d+(\.\d+)?\/\d+)$/, { error: 'must be REQUESTS_PER_SECOND/BURST, for example 10/30, or off' })
  .transform((text) => {
    if (text === 'off') return undefined
    const [per_sec = 0, burst = 0] = text.split('/').map(Number)
    return { per_sec, burst }
  })
  .refine((limit) => limit === undefined || (limit.per_sec > 0 && limit.burst >= 1), {
    error: 'must be greater than 0',
  })

/** Schema for origins as browsers send them: a scheme and a host, without a path. */
const origins = z
  .string()
  .transform((text) => listed(text))
  .refine((parts) => parts.every((part) => (part === '*' ? parts.length === 1 : isOrigin(part))), {
    error: 'must be a comma-separated list of origins, for example https://app.example.com, or a single *',
  })
  .transform((parts) => parts.map((part) => (part === '*' ? part : new URL(part).origin)))

const alertBudget = z
  .string()
  .regex(/^(off|\d{1,7}\/\d{1,7})$/, { error: 'must be ALERTS_PER_HOUR/BURST, for example 360/300, or off' })
  .transform((text) => {
    if (text === 'off') return undefined
    const [per_hour = 0, burst = 0] = text.split('/').map(Number)
    return { per_hour, burst }
  })
  .refine((budget) => budget === undefined || (budget.per_hour >= 1 && budget.burst >= 1), {
    error: 'must be greater than 0',
  })

const LIMIT_OF_CONNECTIONS = 'must be a whole number from 1 to 10000, or off'
const addressConnections = z
  .string()
  .regex(/^(off|\d{1,5})$/, { error: LIMIT_OF_CONNECTIONS })
  .transform((text) => (text === 'off' ? undefined : Number(text)))
  .refine((limit) => limit === undefined || (limit >= 1 && limit <= 10_000), { error: LIMIT_OF_CONNECTIONS })

const RESULTS = 'must be a whole number from 1000 to 999999999, or off'
const resultsBeyond = z
  .string()
  .regex(/^(off|\d{1,9})$/, { error: RESULTS })
  .transform((text) => (text === 'off' ? Infinity : Number(text)))
  .refine((count) => count >= 1000, { error: RESULTS })

const MONITORS = 'must look like free=50,team=1000, with whole numbers of at least 1, or be off'
const monitorsPerPlan = z
  .string()
  .regex(/^(off|(free|solo|double|team|custom)=[1-9]\d{0,6}(,(free|solo|double|team|custom)=[1-9]\d{0,6}){0,4})$/, {
    error: MONITORS,
  })
  .transform((text): Bounds['monitors_per_plan'] => {
    if (text === 'off') return ANY_NUMBER
    const given = text.split(',').map((part): [string, number] => {
      const [plan = '', most] = part.split('=')
      return [plan, Number(most)]
    })
    return { ...ANY_NUMBER, ...(Object.fromEntries(given) as Partial<typeof ANY_NUMBER>) }
  })

const domains = z
  .string()
  .transform((text) => listed(text.toLowerCase()))
  .refine((parts) => parts.every((part) => /^[^\s@/]+$/.test(part)), {
    error: 'must be a comma-separated list of domains, for example example.com,example.org',
  })

const schema = z
  .object({
    PORT: port.default(8080),
    HOST: host.default('127.0.0.1'),
    DATABASE_URL: url(['postgres', 'postgresql']).optional(),
    DATABASE_DIRECT_URL: url(['postgres', 'postgresql']).optional(),
    DATABASE_REPLICA_URL: url(['postgres', 'postgresql']).optional(),
    DATABASE_REPLICA_LAG_SEC: whole(1, 3600).prefault('10'),
    DATABASE_PREPARED: onOrOff.prefault('on'),
    DATABASE_POOL_SIZE: whole(2, 1000).prefault('8'),
    DOGWATCH_DATA_DIR: z.string().optional(),
    PUBLIC_URL: url(['http', 'https']).optional(),
    // Express refuses a range that covers all addresses.
    TRUST_PROXY: ranges(PROXY_NAMES, 1).default([]),
    // `prefault` and not `default`, because `default` would also apply to the value of `off`.
    ADDRESS_RATE_LIMIT: addressLimit.prefault('10/30'),
    ADDRESS_CONNECTIONS: addressConnections.prefault('500'),
    ALERTS_OF_CHANNEL: alertBudget.prefault('360/300'),
    ALERTS_OF_ORG: alertBudget.prefault('3600/3000'),
    ALERTS_OF_ORG_BY_NTFY: alertBudget.prefault('60/120'),
    ALERTS_TO_MAILBOX: alertBudget.prefault('120/200'),
    EGRESS_ALLOW: ranges([], 0).default([]),
    SMTP_URL: url(['smtp', 'smtps']).optional(),
    MAIL_FROM: z.string().optional(),
    SMTP_CLEARTEXT_LOGIN: onOrOff.prefault('off'),
    NTFY_URL: url(['http', 'https']).default('https://ntfy.sh'),
    CORS_ORIGINS: origins.prefault(''),
    LOG_LEVEL: z.enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(', ')}` }).default('info'),
    LOG_FORMAT: z.enum(LOG_FORMATS, { error: `must be one of ${LOG_FORMATS.join(', ')}` }).optional(),
    METRICS_PORT: port.optional(),
    METRICS_HOST: host.default('127.0.0.1'),
    AGENT_ARCHIVES: z.string().optional(),
    DRAIN_SEC: whole(0, 600).prefault('0'),
    SIGN_UP: z.enum(SIGN_UP_MODES, { error: `must be one of ${SIGN_UP_MODES.join(', ')}` }).default('invited'),
    DEFAULT_PLAN: z.enum(DEFAULT_PLANS, { error: `must be one of ${DEFAULT_PLANS.join(', ')}` }).default('unlimited'),
    LOCAL_MONITOR: onOrOff.prefault('on'),
    OIDC_ISSUER: url(['http', 'https']).optional(),
    OIDC_CLIENT_ID: z.string().optional(),
    OIDC_CLIENT_SECRET: z.string().optional(),
    OIDC_NAME: z.string().max(50, { error: 'must be 50 characters or fewer' }).default('single sign-on'),
    OIDC_ALLOWED_DOMAINS: domains.prefault(''),
    OIDC_REQUIRED_GROUPS: z.string().default('').transform(listed),
    OIDC_GROUPS_CLAIM: z.string().default('groups'),
    API_TOKENS_PER_ORG: whole(1, 100_000).default(DEFAULT_BOUNDS.tokens_per_org),
    API_TOKENS_PER_PERSON: whole(1, 100_000).default(DEFAULT_BOUNDS.tokens_per_person),
    RESULTS_BEYOND: resultsBeyond.default(DEFAULT_BOUNDS.results_beyond),
    MONITORS_PER_PLAN: monitorsPerPlan.default(DEFAULT_BOUNDS.monitors_per_plan),
  })
  .refine(
    ({ SMTP_URL: given, SMTP_CLEARTEXT_LOGIN: mayBeClear }) =>
      mayBeClear || given === undefined || !URL.canParse(given) || !hasOpenLogin(given) || !refusesEncryption(given),
    {
      path: ['SMTP_URL'],
      error: 'must not contain a password while encryption is off, unless SMTP_CLEARTEXT_LOGIN is on',
    },
  )

  .refine(
    ({ OIDC_ISSUER: issuer, OIDC_CLIENT_ID: id, OIDC_CLIENT_SECRET: secret }) =>
      (issuer === undefined) === (id === undefined) && (issuer === undefined) === (secret === undefined),
    { path: ['OIDC_ISSUER'], error: 'must be set together with OIDC_CLIENT_ID and OIDC_CLIENT_SECRET' },
  )

/** Reads the settings. An empty variable counts as unset. Throws one ConfigError that lists every fault. */
export function readConfig(env: Readonly<Record<string, string | undefined>>, defaultDataDir: string): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''))
  const { success, data, error } = schema.safeParse(given)
  if (!success) throw new ConfigError(error.issues.map((issue) => `${String(issue.path[0])} ${issue.message}`))
  return Object.freeze({
    port: data.PORT,
    host: data.HOST,
    database_url: data.DATABASE_URL,
    database_direct_url: data.DATABASE_DIRECT_URL,
    database_replica_url: data.DATABASE_REPLICA_URL,
    database_replica_lag_sec: data.DATABASE_REPLICA_LAG_SEC,
    database_prepared: data.DATABASE_PREPARED,
    database_pool_size: data.DATABASE_POOL_SIZE,
    data_dir: data.DOGWATCH_DATA_DIR ?? defaultDataDir,
    is_public_url_set: data.PUBLIC_URL !== undefined,
    public_url: data.PUBLIC_URL ?? `http://${data.HOST.includes(':') ? `[${data.HOST}]` : data.HOST}:${data.PORT}`,
    trust_proxy: data.TRUST_PROXY,
    address_limit: data.ADDRESS_RATE_LIMIT,
    address_connections: data.ADDRESS_CONNECTIONS,
    alerts_of_channel: data.ALERTS_OF_CHANNEL,
    alerts_of_org: data.ALERTS_OF_ORG,
    alerts_to_mailbox: data.ALERTS_TO_MAILBOX,
    alerts_of_org_by_ntfy: data.ALERTS_OF_ORG_BY_NTFY,
    egress_allow: data.EGRESS_ALLOW,
    smtp_url: data.SMTP_URL,
    mail_from: data.MAIL_FROM,
    smtp_cleartext_login: data.SMTP_CLEARTEXT_LOGIN,
    ntfy_url: data.NTFY_URL,
    cors_origins: data.CORS_ORIGINS,
    log_level: data.LOG_LEVEL,
    log_format: data.LOG_FORMAT,
    metrics_port: data.METRICS_PORT,
    metrics_host: data.METRICS_HOST,
    agent_archives: data.AGENT_ARCHIVES,
    drain_sec: data.DRAIN_SEC,
    sign_up: data.SIGN_UP,
    default_plan: data.DEFAULT_PLAN,
    local_monitor: data.LOCAL_MONITOR,
    oidc: oidcOf(data),
    bounds: {
      tokens_per_org: data.API_TOKENS_PER_ORG,
      tokens_per_person: data.API_TOKENS_PER_PERSON,
      monitors_per_plan: data.MONITORS_PER_PLAN,
      results_beyond: data.RESULTS_BEYOND,
    },
  })
}

function oidcOf(data: z.infer<typeof schema>): OidcConfig | undefined {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: client_id, OIDC_CLIENT_SECRET: client_secret } = data
  if (issuer === undefined || client_id === undefined || client_secret === undefined) return undefined
  return {
    ...{ issuer, client_id, client_secret, name: data.OIDC_NAME },
    allowed_domains: data.OIDC_ALLOWED_DOMAINS,
    required_groups: data.OIDC_REQUIRED_GROUPS,
    groups_claim: data.OIDC_GROUPS_CLAIM,
  }
}

/** Returns the parts of a comma-separated list. */
function listed(text: string): string[] {
  return text.split(',').flatMap((part) => part.trim() || [])
}

function isOrigin(text: string): boolean {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return false
  const { username, password, hostname, pathname, search, hash } = new URL(text)
  if (hostname.includes('*')) return false
  return username + password + search + hash === '' && pathname === '/' && !text.endsWith('/')
}

/**
 * Whether a text is an address or a range. IPv4 must have four decimal parts, because programs disagree about other notations.
 */
function isRange(text: string, widest: number): boolean {
  const [address = '', prefix, ...rest] = text.split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return false
  if (prefix === undefined) return true
  return /^\d{1,3}$/.test(prefix) && Number(prefix) >= widest && Number(prefix) <= (family === 4 ? 32 : 128)
}
