// The kinds of monitors that Dogwatch does not have, and what comes nearest.
import { type Fields, textOf } from '../audit.ts'

const NO_SOCKET = 'run a heartbeat from a script beside it'

/** Why there is no such check, and what to do instead. Undefined: the kind is one that Dogwatch has. */
export function whyNot(monitor: Fields): string | undefined {
  const type = textOf(monitor.type)
  const why = WHY.get(type)
  if (why !== undefined) return `${why[0]}; the nearest is ${why[1](monitor)}`
  return KNOWN.includes(type) ? undefined : `Dogwatch does not know monitors of the type ${type.slice(0, 40) || 'none'}`
}

export const WEB: readonly string[] = ['http', 'keyword', 'json-query']
const KNOWN: readonly string[] = [...WEB, 'port', 'push', 'group']

type Nearest = (monitor: Fields) => string

const heartbeat: Nearest = () => `to ${NO_SOCKET}`

function socket(port: number | string): Nearest {
  return ({ hostname, port: given }) =>
    `a check of tcp://${textOf(hostname) || 'HOST'}:${textOf(given) || String(port)}`
}

/** Of a connection string, the host and the port, and nothing that it says besides. */
function database(scheme: string, port: number): Nearest {
  return ({ database_connection_string: text }) => {
    const url = textOf(text)
    const plain = url.startsWith(scheme) && URL.canParse(url) ? new URL(url) : undefined
    return `a check of tcp://${plain?.hostname || 'HOST'}:${plain?.port || String(port)}`
  }
}

const WHY = new Map(
  Object.entries<readonly [why: string, nearest: Nearest]>({
    ping: ['Dogwatch does not ping', socket('PORT')],
    'tailscale-ping': ['Dogwatch does not ping', socket('PORT')],
    globalping: [
      'Dogwatch checks from its own monitors alone',
      () => 'a check with down_places, or one that all_monitors run',
    ],
    dns: ['Dogwatch does not ask name servers', socket(53)],
    docker: ['Dogwatch does not look at containers', heartbeat],
    'system-service': ['Dogwatch does not look at services of a machine', heartbeat],
    pm2: ['Dogwatch does not look at processes', heartbeat],
    manual: ['a check of Dogwatch has no state set by hand', () => 'an announced maintenance window'],
    steam: ['Dogwatch does not speak the protocols of games', heartbeat],
    gamedig: ['Dogwatch does not speak the protocols of games', heartbeat],
    mqtt: ['Dogwatch does not speak MQTT', socket(1883)],
    'kafka-producer': [
      'Dogwatch does not speak Kafka',
      ({ kafka_producer_brokers: brokers }) => `a check of tcp://${firstOf(textOf(brokers)) || 'BROKER:9092'}`,
    ],
    rabbitmq: ['Dogwatch does not read the API of RabbitMQ', () => 'an https check of its management page'],
    sqlserver: ['Dogwatch does not query databases', socket(1433)],
    postgres: ['Dogwatch does not query databases', database('postgres', 5432)],
    mysql: ['Dogwatch does not query databases', database('mysql', 3306)],
    mongodb: ['Dogwatch does not query databases', database('mongodb', 27017)],
    redis: ['Dogwatch does not query databases', database('redis', 6379)],
    oracledb: ['Dogwatch does not query databases', socket(1521)],
    radius: ['Dogwatch does not speak RADIUS', heartbeat],
    'grpc-keyword': [
      'Dogwatch does not speak gRPC',
      ({ grpc_url: url }) => `a check of tcp://${textOf(url).slice(0, 200) || 'HOST:PORT'}`,
    ],
    'real-browser': ['Dogwatch does not run a browser', () => 'an https check of the page with match_string'],
    snmp: ['Dogwatch does not speak SNMP', heartbeat],
    smtp: [
      'Dogwatch does not speak SMTP',
      ({ hostname, port }) => `a check of tcp://${textOf(hostname)}:${textOf(port) || '25'} with match_string 220`,
    ],
    'websocket-upgrade': [
      'Dogwatch does not open WebSockets',
      () => 'an https check of the same address with status_code_op eq 426',
    ],
    'sip-options': ['Dogwatch does not speak SIP', socket(5060)],
    ntp: ['Dogwatch does not ask time servers', heartbeat],
  }),
)

/** The first entry of a list that is written as JSON or with commas. */
function firstOf(text: string): string {
  return (
    text
      .replaceAll(/["[\]\s]/g, '')
      .split(',')[0]
      ?.slice(0, 200) ?? ''
  )
}
