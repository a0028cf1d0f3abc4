// Reads the agent's settings from flags and variables, and reports every fault in one message.
import { hostname } from 'node:os'
import { LOG_FORMATS } from '@dogwatch/check-rules/log-text'
import { z } from 'zod'
import { EXIT_USAGE, Fatal } from './fatal.ts'
import { LOG_LEVELS } from './log.ts'

/** A host that is reachable while this machine is online. */
export interface Reference {
  host: string
  port: number
}

/**
 * A command line flag. Its environment variable is DOGWATCH_AGENT_ followed by its name. The help shows `value`. A flag without
 * `value` is a switch.
 */
export interface Flag {
  name: string
  value?: string
  help: string
}

export const FLAGS: readonly Flag[] = [
  { name: 'server', value: 'URL', help: 'base URL of the server' },
  { name: 'state-dir', value: 'DIR', help: "directory for the agent's identity and unsent results" },
  { name: 'name', value: 'N', help: 'name of this monitor (default: the host name)' },
  { name: 'region', value: 'R', help: 'region of this machine' },
  { name: 'country', value: 'C', help: 'country of this machine' },
  { name: 'city', value: 'Y', help: 'city of this machine' },
  {
    name: 'enrollment-token-file',
    value: 'FILE',
    help: 'file with the enrollment token, unless DOGWATCH_ENROLLMENT_TOKEN is set',
  },
  {
    name: 'monitor-id',
    value: 'ID',
    help: 'ID of a reset monitor to enroll as; only for an agent without an identity',
  },
  { name: 'definitions', value: 'FILE', help: 'file with private definitions' },
  { name: 'public-targets-only', help: 'only connect to public addresses; for monitors of a shared fleet' },
  { name: 'connectivity', value: 'on|off', help: 'whether to detect when this machine is offline (default: on)' },
  { name: 'references', value: 'HOST:PORT,...', help: 'hosts that are reachable whenever this machine is online' },
  { name: 'metrics-port', value: 'PORT', help: 'serve Prometheus metrics on 127.0.0.1 at this port' },
  {
    name: 'supervised',
    help: 'exit when standard input closes, and sync after each line of input; for use by another program',
  },
  { name: 'log-level', value: 'LEVEL', help: `${LOG_LEVELS.join(', ')} (default: info)` },
  {
    name: 'log-format',
    value: 'json|text',
    help: 'log format (default: LOG_FORMAT if set, otherwise text on a terminal and json elsewhere)',
  },
]

/** Addresses of three Internet operators, two of them also over IPv6. */
const REFERENCES = '1.1.1.1:443,9.9.9.9:443,8.8.8.8:443,[2606:4700:4700::1111]:443,[2620:fe::fe]:443'

const place = z.string().trim().min(1, 'must not be blank').max(200, 'must be 200 characters or fewer')
const onOff = z.enum(['on', 'off'], 'must be on or off').transform((value) => value === 'on')
const switched = z
  .enum(['true', '1', 'false', '0', ''], 'must be true or false')
  .transform((value) => value === 'true' || value === '1')

const SETTINGS = z.object({
  server: z.string().transform(baseUrl),
  'state-dir': z.string().min(1, 'must not be empty'),
  name: z.string().max(200, 'must be 200 characters or fewer').default(hostname),
  region: place,
  country: place,
  city: place,
  'enrollment-token-file': z.string().min(1).optional(),
  'monitor-id': z.string().min(1).optional(),
  definitions: z.string().min(1).optional(),
  'public-targets-only': switched.default(false),
  connectivity: onOff.default(true),
  references: z.string().default(REFERENCES).transform(references),
  'metrics-port': z
    .string()
    .regex(/^\d+$/, 'must be a port number')
    .transform(Number)
    .refine((port) => port <= 65_535, 'must be a port number')
    .optional(),
  supervised: switched.default(false),
  'log-level': z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).default('info'),
  'log-format': z.enum(LOG_FORMATS, `must be one of ${LOG_FORMATS.join(', ')}`).optional(),
})

export type Config = Readonly<z.infer<typeof SETTINGS>>

/** Reads the settings. Flags have precedence. @throws Fatal that names every fault. */
export function readConfig(flags: Record<string, string | undefined>, env: Record<string, string | undefined>): Config {
  const shared: Record<string, string | undefined> = { 'log-format': env.LOG_FORMAT }
  const given = FLAGS.map(({ name }) => [name, flags[name] ?? env[variableOf(name)] ?? shared[name]] as const)
  const { data, error } = SETTINGS.safeParse(Object.fromEntries(given.filter(([, value]) => value !== undefined)))
  if (data) return Object.freeze(data)
  const faults = error.issues.map(({ path, message, input }) => {
    const name = String(path[0])
    const fault = given.find(([key]) => key === name)?.[1] === undefined && input === undefined ? 'is missing' : message
    return `  --${name} (${variableOf(name)}) ${fault}`
  })
  throw new Fatal(['invalid settings:', ...faults].join('\n'), EXIT_USAGE)
}

export function variableOf(flag: string): string {
  return `DOGWATCH_AGENT_${flag.toUpperCase().replaceAll('-', '_')}`
}

function baseUrl(text: string, context: z.RefinementCtx): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.search && !url.hash) {
    return (url.origin + url.pathname).replace(/(?<!\/)\/+$/, '')
  }
  context.addIssue('must be an http or https URL without user, password, query or fragment')
  return z.NEVER
}

function references(text: string, context: z.RefinementCtx): Reference[] {
  const parts = text.split(',').filter((part) => part.trim() !== '')
  return parts.map((part) => {
    const found = /^\[?([^[\]]+)\]?:(\d+)$/.exec(part.trim())
    if (!found?.[1]) context.addIssue('must be a comma-separated list of host:port')
    return { host: found?.[1] ?? '', port: Number(found?.[2]) }
  })
}
