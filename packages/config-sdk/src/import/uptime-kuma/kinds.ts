// Lists the kinds of monitors that Dogwatch does not have, with the closest alternatives.
import { type Fields, textOf } from '../audit.ts'
import { APPS, whyNoApp } from './apps.ts'

/**
 * Returns why Dogwatch has no check of this kind, and the closest alternative. Returns undefined if Dogwatch has such a check.
 */
export function whyNot(monitor: Fields): string | undefined {
  const type = typeOf(monitor)
  const noApp = whyNoApp(monitor)
  if (noApp !== undefined) return noApp
  const why = WHY.get(type)
  if (why !== undefined) return `${why[0]}; the closest alternative is ${why[1](monitor)}`
  return KNOWN.includes(type) ? undefined : `monitors of type ${type.slice(0, 40) || 'none'} are not supported`
}

export const WEB: readonly string[] = ['http', 'keyword', 'json-query']
const KNOWN: readonly string[] = [
  ...WEB,
  'port',
  'ping',
  'dns',
  'ntp',
  'smtp',
  'redis',
  'push',
  'group',
  'tailscale-ping',
  'rabbitmq',
  'sip-options',
  ...APPS,
]

/**
 * Returns the type of a monitor. For a Globalping monitor, returns the type of the monitor that Globalping runs from its own
 * locations.
 */
export function typeOf(monitor: Fields): string {
  const type = textOf(monitor.type)
  if (type !== 'globalping') return type
  const subtype = textOf(monitor.subtype)
  if (subtype !== 'http') return subtype === 'ping' || subtype === 'dns' ? subtype : type
  if (textOf(monitor.keyword) !== '') return 'keyword'
  return textOf(monitor.expected_value) === '' ? 'http' : 'json-query'
}

type Nearest = (monitor: Fields) => string

const heartbeat: Nearest = () => 'a heartbeat pinged by a script on that machine'

function socket(port: number | string): Nearest {
  return ({ hostname, port: given }) =>
    `a check of tcp://${textOf(hostname) || 'HOST'}:${textOf(given) || String(port)}`
}

/** Returns the alternative for a database: its host and port, and nothing else of the connection string. */
function database(scheme: string, port: number): Nearest {
  return ({ database_connection_string: text }) => {
    const url = textOf(text)
    const plain = url.startsWith(scheme) && URL.canParse(url) ? new URL(url) : undefined
    return `a check of tcp://${plain?.hostname || 'HOST'}:${plain?.port || String(port)}`
  }
}

const WHY = new Map(
  Object.entries<readonly [why: string, nearest: Nearest]>({
    globalping: ['this kind of measurement is not supported', () => 'a check with all_monitors'],
    docker: ['Docker containers are not supported', heartbeat],
    'system-service': ['system services are not supported', heartbeat],
    pm2: ['processes are not supported', heartbeat],
    manual: ['checks have no manually set state', () => 'a public maintenance window'],
    steam: ['game protocols are not supported', heartbeat],
    gamedig: ['game protocols are not supported', heartbeat],
    'kafka-producer': [
      'Kafka is not supported',
      ({ kafka_producer_brokers: brokers }) => `a check of tcp://${firstOf(textOf(brokers)) || 'BROKER:9092'}`,
    ],
    sqlserver: ['database queries are not supported', socket(1433)],
    mongodb: ['database queries are not supported', database('mongodb', 27017)],
    oracledb: ['database queries are not supported', socket(1521)],
    radius: ['RADIUS is not supported', heartbeat],
    'real-browser': ['browsers are not supported', () => 'an https check of the page with match_string'],
    snmp: ['SNMP is not supported', heartbeat],
  }),
)

/** Returns the first entry of a list in JSON or separated by commas. */
function firstOf(text: string): string {
  return (
    text
      .replaceAll(/["[\]\s]/g, '')
      .split(',')[0]
      ?.slice(0, 200) ?? ''
  )
}
