// Reads the targets of applications: WebSockets, gRPC services, MQTT brokers and databases. Lists the rows of their schemes.
import { type Fault, type HostAndPort, readHostAndPort, readWebAddress } from './address.ts'
import { CERTIFICATE, MATCH } from './field-groups.ts'
import { type OptionRows, type OptionsOf, readOptions, readText } from './options.ts'

export interface GrpcAddress extends HostAndPort {
  /** Name of the gRPC service. Empty for the server as a whole. */
  service: string
}

const SERVICE_MAX = 200

export function readGrpc(rest: string, scheme: string, defaultPort = 0): GrpcAddress | Fault {
  const [authority = '', ...path] = rest.split('/')
  const address = readHostAndPort(authority, scheme, defaultPort)
  const name = path.join('/')
  const service = name === '' ? '' : readText(name, SERVICE_MAX)
  if ('fault' in address || service === undefined || /[?#\s]/.test(name))
    return { fault: `must have the form ${scheme}://host:port/service` }
  return { ...address, service, shown: name === '' ? address.shown : `${address.shown}/${name}` }
}

interface LoginAddress extends HostAndPort {
  /** User name to sign in with. Empty if there is none. */
  user: string
  password: string
}

const LOGIN_MAX = 255

/** Reads `user:password@host:port/path?query`. Returns undefined if a part is not valid. */
function readLogin(rest: string, scheme: string, defaultPort: number) {
  const [, login = '', authority = '', path = '', query = ''] =
    /^(?:([^/?#]*)@)?([^/?#@]*)(?:\/([^/?#]*))?(?:\?([^#]*))?$/.exec(rest) ?? []
  const address = readHostAndPort(authority, scheme, defaultPort)
  const [user, password] = [login.replace(/:.*/s, ''), login.replace(/^[^:]*:?/, '')].map((part) =>
    part === '' ? '' : readText(part, LOGIN_MAX),
  )
  if ('fault' in address || user === undefined || password === undefined) return undefined
  return { address: { ...address, user, password }, path, query }
}

export const MQTT_OPTIONS = {
  /** Filter of topics. Empty if the check does not wait for a message. */
  topic: {
    kind: 'text',
    max: 256,
    label: 'Topic',
    hint: 'Topic filter such as sensors/#. The check waits for a message. Leave empty to only connect.',
  },
  /** Identifier of the MQTT client. If it is empty, each run uses a new identifier. */
  client: { kind: 'text', max: 64, label: 'Client ID', hint: 'Leave empty for a new one in each run.' },
} as const satisfies OptionRows

export interface MqttAddress extends LoginAddress, OptionsOf<typeof MQTT_OPTIONS> {}

export function readMqtt(rest: string, scheme: string, defaultPort = 0): MqttAddress | Fault {
  const read = readLogin(rest, scheme, defaultPort)
  if (!read || read.path !== '') return { fault: `must have the form ${scheme}://user:password@host:port` }
  const options = readOptions(MQTT_OPTIONS, read.query)
  if ('fault' in options) return options
  const signsIn = read.address.user !== '' || read.address.password !== ''
  return { ...read.address, ...options, ...(signsIn || options.topic !== '' ? { needs_own_monitor: true } : {}) }
}

export const DATABASE_OPTIONS = {
  /** Statement whose first value is the content. Empty if signing in is enough. */
  query: {
    kind: 'text',
    max: 2000,
    label: 'Query',
    hint: 'A statement that only reads, such as SELECT 1. Leave empty to only sign in.',
  },
  /** Whether the connection must be encrypted. */
  tls: { kind: 'yes-no', label: 'Require TLS' },
} as const satisfies OptionRows

export interface DatabaseAddress extends LoginAddress, OptionsOf<typeof DATABASE_OPTIONS> {
  /** Name of the database. Empty if the target names none. */
  database: string
}

const DATABASE_MAX = 128
/** Matches statements that only read data. In addition, the agent runs the statement in a read-only transaction. */
const READS = /^[\s(]*(?:select|show|with|values|table)\b/i

export function readDatabase(rest: string, scheme: string, defaultPort = 0): DatabaseAddress | Fault {
  const read = readLogin(rest, scheme, defaultPort)
  const database = read && read.path !== '' ? readText(read.path, DATABASE_MAX) : ''
  if (!read || read.address.user === '' || database === undefined)
    return { fault: `must have the form ${scheme}://user:password@host:port/database` }
  const options = readOptions(DATABASE_OPTIONS, read.query)
  if ('fault' in options) return options
  if (options.query !== '' && !READS.test(options.query))
    return { fault: 'must have a statement that begins with SELECT, SHOW, WITH, VALUES or TABLE as the option query' }
  const { shown } = read.address
  return {
    ...read.address,
    ...options,
    database,
    shown: read.path === '' ? shown : `${shown}/${read.path}`,
    needs_own_monitor: true,
  }
}

const MESSAGE = { called: 'message', isQuoted: true } as const
const HEALTH = { called: 'health status', isQuoted: true } as const
const VALUE = { called: 'value', isQuoted: true } as const

const WEBSOCKET = {
  read: readWebAddress,
  content: MESSAGE,
  fields: [...MATCH, ...CERTIFICATE, 'headers', 'post_data'],
  own_monitors_with: ['post_data'],
  ability: 'ws',
  label: 'WebSocket',
  group: 'Web',
} as const

const GRPC = {
  read: readGrpc,
  content: HEALTH,
  fields: [...MATCH, ...CERTIFICATE, 'headers'],
  ability: 'grpc',
  label: 'gRPC service',
  group: 'Web',
} as const

const MQTT = {
  read: readMqtt,
  content: MESSAGE,
  options: MQTT_OPTIONS,
  fields: [...MATCH, ...CERTIFICATE],
  ability: 'mqtt',
  label: 'MQTT broker',
  group: 'Databases and messages',
} as const

const DATABASE = {
  read: readDatabase,
  isTls: true,
  content: VALUE,
  group: 'Databases and messages',
  options: DATABASE_OPTIONS,
  fields: [...MATCH, ...CERTIFICATE],
} as const

/** Rows of the schemes of applications. */
export const APP_SCHEMES = {
  ws: { ...WEBSOCKET, port: 80, isTls: false, offered_as: 'wss', example: 'ws://example.com/socket' },
  wss: {
    ...WEBSOCKET,
    port: 443,
    isTls: true,
    hint: 'wss://host/path to check a WebSocket',
    example: 'wss://example.com/socket',
  },
  grpc: { ...GRPC, isTls: false, offered_as: 'grpcs', example: 'grpc://example.com:50051/shop.Orders' },
  grpcs: {
    ...GRPC,
    port: 443,
    isTls: true,
    hint: 'grpcs://host:port/service to check the health of a gRPC service',
    example: 'grpcs://example.com:443/shop.Orders',
  },
  mqtt: { ...MQTT, port: 1883, isTls: false, offered_as: 'mqtts', example: 'mqtt://example.com' },
  mqtts: {
    ...MQTT,
    port: 8883,
    isTls: true,
    hint: 'mqtts://host to check an MQTT broker',
    example: 'mqtts://example.com',
  },
  postgres: {
    ...DATABASE,
    port: 5432,
    ability: 'postgres',
    label: 'PostgreSQL database',
    hint: 'postgres://user:password@host/database to check a PostgreSQL database',
    example: 'postgres://user:password@db.example.com/shop?query=SELECT 1',
  },
  mysql: {
    ...DATABASE,
    port: 3306,
    ability: 'mysql',
    label: 'MySQL database',
    hint: 'mysql://user:password@host/database to check a MySQL or MariaDB database',
    example: 'mysql://user:password@db.example.com/shop?query=SELECT 1',
  },
} as const
