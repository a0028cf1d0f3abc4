// Reads the settings once from environment variables and flags, and reports all faults in one message.
import { isIP } from 'node:net'
import { LOG_FORMATS } from '@dogwatch/check-rules/log-text'
import { ANY_NUMBER, type Bounds, DEFAULT_BOUNDS } from '@dogwatch/domain/limits/bounds'
import { DEFAULT_PLANS } from '@dogwatch/domain/organisations/plans'
import { SIGN_UP_MODES } from '@dogwatch/domain/people/sign-up-mode'
import { hasOpenLogin, refusesEncryption } from '@dogwatch/runtime/mail-login'
import { z } from 'zod'

/**
 * Settings that were read. Most are named as their variables, in lower case. The settings of the OpenID provider are in `oidc`, and the
 * limits of each organisation and person are in `bounds`.
 */
export type Config = ReturnType<typeof readConfig>

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
    .refine((text) => isWhole(text, least, most), { error: `must be a whole number from ${least} to ${most}` })
    .transform(Number)

/** Returns a schema for a whole number, or `off` for any number. */
const wholeOrOff = (least: number, most: number) =>
  z
    .string()
    .refine((text) => text === 'off' || isWhole(text, least, most), {
      error: `must be a whole number from ${least} to ${most}, or off`,
    })
    .transform((text) => (text === 'off' ? Infinity : Number(text)))

const oneOf = <const Choices extends readonly string[]>(choices: Choices) =>
  z.enum(choices, { error: `must be one of ${choices.join(', ')}` })

const onOrOff = z.enum(['on', 'off'], { error: 'must be on or off' }).transform((text) => text === 'on')

/** Returns a schema for a rate and a burst such as 10/30, or `off` for no limit. */
const rateOrOff = (pattern: RegExp, form: string) =>
  z
    .string()
    .refine((text) => text === 'off' || pattern.test(text), { error: `must be ${form}, or off` })
    .transform((text) => {
      if (text === 'off') return undefined
      const [rate = 0, burst = 0] = text.split('/').map(Number)
      return { rate, burst }
    })
    .refine((limit) => limit === undefined || (limit.rate > 0 && limit.burst > 0), { error: 'must be greater than 0' })

const addressLimit = rateOrOff(/^\d+(\.\d+)?\/\d+$/, 'REQUESTS_PER_SECOND/BURST, for example 10/30').transform(
  (limit) => limit && { per_sec: limit.rate, burst: limit.burst },
)

const alertBudget = rateOrOff(/^\d{1,7}\/\d{1,7}$/, 'ALERTS_PER_HOUR/BURST, for example 360/300').transform(
  (limit) => limit && { per_hour: limit.rate, burst: limit.burst },
)

/** Schema for origins as browsers send them: a scheme and a host, without a path. */
const origins = z
  .string()
  .transform((text) => listed(text))
  .refine((parts) => parts.every((part) => (part === '*' ? parts.length === 1 : isOrigin(part))), {
    error: 'must be a comma-separated list of origins, for example https://app.example.com, or a single *',
  })
  .transform((parts) => parts.map((part) => (part === '*' ? part : new URL(part).origin)))

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

/** All settings. `value` is the placeholder for the value in the help of a setting's flag. */
const schema = z
  .object({
    PORT: port.default(8080).meta({ value: 'port' }),
    HOST: host.default('127.0.0.1').meta({ value: 'address' }),
    /** URL of the database. Absent means the embedded Postgres in the data directory. */
    DATABASE_URL: url(['postgres', 'postgresql']).optional().meta({ value: 'url' }),
    /**
     * URL of the same database without the pooler, for migrations and LISTEN. Absent if DATABASE_URL does not lead to a pooler.
     */
    DATABASE_DIRECT_URL: url(['postgres', 'postgresql']).optional().meta({ value: 'url' }),
    /** URL of a standby for reads of the account API. Absent if there is none. */
    DATABASE_REPLICA_URL: url(['postgres', 'postgresql']).optional().meta({ value: 'url' }),
    /** Maximum lag of the standby in seconds. Reads do not use a standby that is further behind. */
    DATABASE_REPLICA_LAG_SEC: whole(1, 3600).prefault('10').meta({ value: 'seconds' }),
    /** Whether to use named prepared statements, which a pooler in transaction mode may not support. */
    DATABASE_PREPARED: onOrOff.prefault('on').meta({ value: 'on|off' }),
    /** Number of connections of each of the three pools. */
    DATABASE_POOL_SIZE: whole(2, 1000).prefault('8').meta({ value: 'connections' }),
    DOGWATCH_DATA_DIR: z.string().optional().meta({ value: 'path' }),
    PUBLIC_URL: url(['http', 'https']).optional().meta({ value: 'url' }),
    // Express refuses a range that covers all addresses.
    TRUST_PROXY: ranges(PROXY_NAMES, 1).default([]).meta({ value: 'ranges' }),
    // `prefault` and not `default`, because `default` would also apply to the value of `off`.
    ADDRESS_RATE_LIMIT: addressLimit.prefault('10/30').meta({ value: 'limit' }),
    /** Maximum number of open connections of one address. */
    ADDRESS_CONNECTIONS: wholeOrOff(1, 10_000).prefault('500').meta({ value: 'count' }),
    /** Number of alerts that a channel gets one by one before a summary replaces them. Undefined means no limit. */
    ALERTS_OF_CHANNEL: alertBudget.prefault('360/300').meta({ value: 'budget' }),
    ALERTS_OF_ORG: alertBudget.prefault('3600/3000').meta({ value: 'budget' }),
    ALERTS_OF_ORG_BY_NTFY: alertBudget.prefault('60/120').meta({ value: 'budget' }),
    ALERTS_TO_MAILBOX: alertBudget.prefault('120/200').meta({ value: 'budget' }),
    EGRESS_ALLOW: ranges([], 0).default([]).meta({ value: 'ranges' }),
    SMTP_URL: url(['smtp', 'smtps']).optional().meta({ value: 'url' }),
    MAIL_FROM: z.string().optional().meta({ value: 'address' }),
    /** Whether the password of SMTP_URL may go to a server that offers no encryption. */
    SMTP_CLEARTEXT_LOGIN: onOrOff.prefault('off').meta({ value: 'on|off' }),
    NTFY_URL: url(['http', 'https']).default('https://ntfy.sh').meta({ value: 'url' }),
    /** Origins whose pages may read the account API in a browser (CORS). A lone `*` means all. */
    CORS_ORIGINS: origins.prefault('').meta({ value: 'origins' }),
    LOG_LEVEL: oneOf(LOG_LEVELS).default('info').meta({ value: 'level' }),
    /** Format of the log. Absent means text on a terminal and JSON everywhere else. */
    LOG_FORMAT: oneOf(LOG_FORMATS).optional().meta({ value: 'json|text' }),
    /** Port for metrics. Absent if no metrics are served. */
    METRICS_PORT: port.optional().meta({ value: 'port' }),
    METRICS_HOST: host.default('127.0.0.1').meta({ value: 'address' }),
    /** Seconds from reporting that the process is not ready until it refuses connections. */
    DRAIN_SEC: whole(0, 600).prefault('0').meta({ value: 'seconds' }),
    /** Mode of sign-up: open to everyone, by invitation, or closed. */
    SIGN_UP: oneOf(SIGN_UP_MODES).default('invited').meta({ value: 'open|invited|closed' }),
    DEFAULT_PLAN: oneOf(DEFAULT_PLANS).default('unlimited').meta({ value: 'plan' }),
    /** Whether a server of the role `all` runs the built-in monitor. */
    LOCAL_MONITOR: onOrOff.prefault('on').meta({ value: 'on|off' }),
    /** Folder with archives of the agent that were built elsewhere. Absent means those of the checkout or the image. */
    AGENT_ARCHIVES: z.string().optional().meta({ value: 'folder' }),
    OIDC_ISSUER: url(['http', 'https']).optional().meta({ value: 'url' }),
    OIDC_CLIENT_ID: z.string().optional().meta({ value: 'id' }),
    OIDC_CLIENT_SECRET: z.string().optional().meta({ value: 'secret' }),
    OIDC_NAME: z
      .string()
      .max(50, { error: 'must be 50 characters or fewer' })
      .default('single sign-on')
      .meta({ value: 'name' }),
    OIDC_ALLOWED_DOMAINS: domains.prefault('').meta({ value: 'domains' }),
    OIDC_REQUIRED_GROUPS: z.string().default('').transform(listed).meta({ value: 'groups' }),
    OIDC_GROUPS_CLAIM: z.string().default('groups').meta({ value: 'claim' }),
    API_TOKENS_PER_ORG: whole(1, 100_000).default(DEFAULT_BOUNDS.tokens_per_org).meta({ value: 'count' }),
    API_TOKENS_PER_PERSON: whole(1, 100_000).default(DEFAULT_BOUNDS.tokens_per_person).meta({ value: 'count' }),
    RESULTS_BEYOND: wholeOrOff(1000, 999_999_999).default(DEFAULT_BOUNDS.results_beyond).meta({ value: 'count' }),
    MONITORS_PER_PLAN: monitorsPerPlan.default(DEFAULT_BOUNDS.monitors_per_plan).meta({ value: 'counts' }),
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

export type Setting = keyof typeof schema.shape
export const SETTINGS = Object.keys(schema.shape) as readonly Setting[]

/** Returns the command-line flag of a setting, such as `--database-url <url>`. */
export function flagOf(name: Setting): string {
  const flag = name.replace('DOGWATCH_', '').toLowerCase().replaceAll('_', '-')
  return `--${flag} <${String(schema.shape[name].meta()?.value)}>`
}

/** Reads the settings. An empty variable counts as unset. Throws one ConfigError that lists every fault. */
export function readConfig(env: Readonly<Record<string, string | undefined>>, defaultDataDir: string) {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''))
  const { success, data, error } = schema.safeParse(given)
  if (!success) throw new ConfigError(error.issues.map((issue) => `${String(issue.path[0])} ${issue.message}`))
  const {
    DOGWATCH_DATA_DIR,
    PUBLIC_URL,
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: client_id,
    OIDC_CLIENT_SECRET: client_secret,
    OIDC_NAME: name,
    OIDC_ALLOWED_DOMAINS: allowed_domains,
    OIDC_REQUIRED_GROUPS: required_groups,
    OIDC_GROUPS_CLAIM: groups_claim,
    API_TOKENS_PER_ORG: tokens_per_org,
    API_TOKENS_PER_PERSON: tokens_per_person,
    MONITORS_PER_PLAN: monitors_per_plan,
    RESULTS_BEYOND: results_beyond,
    ...others
  } = data
  const { HOST, PORT } = others
  const hasOidc = issuer !== undefined && client_id !== undefined && client_secret !== undefined
  return Object.freeze({
    ...inLowerCase(others),
    data_dir: DOGWATCH_DATA_DIR ?? defaultDataDir,
    /** Whether PUBLIC_URL is set. If not, the public URL consists of HOST and PORT. */
    is_public_url_set: PUBLIC_URL !== undefined,
    public_url: PUBLIC_URL ?? `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${PORT}`,
    /** Settings of the OpenID provider. Undefined if users sign in by password and passkey only. */
    oidc: hasOidc
      ? { issuer, client_id, client_secret, name, allowed_domains, required_groups, groups_claim }
      : undefined,
    bounds: { tokens_per_org, tokens_per_person, monitors_per_plan, results_beyond },
  })
}

function inLowerCase<Values extends object>(values: Values) {
  const entries = Object.entries(values).map(([name, value]) => [name.toLowerCase(), value as unknown])
  return Object.fromEntries(entries) as { [Name in keyof Values & string as Lowercase<Name>]: Values[Name] }
}

function isWhole(text: string, least: number, most: number): boolean {
  return /^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most
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
