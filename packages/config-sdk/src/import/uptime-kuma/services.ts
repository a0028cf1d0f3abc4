// Rules for the columns of RabbitMQ and Globalping monitors, which become checks of their HTTP APIs and of the same targets.
import { anyValue, carried, differently, idle, impossible, onlyWhere, text, textOf } from '../audit.ts'
import { jsonIn } from '../reading.ts'
import { setBasicAuth, setTarget } from '../requests.ts'
import { type MonitorRule, onlyFor } from './draft.ts'

/** Rule for the nodes of a cluster, a list in a JSON column. For Kuma, the cluster is up if one node reports no alarm. */
const nodes: MonitorRule = anyValue((value, { draft }) => {
  const listed = jsonIn(value)
  const [first = '', ...others] = Array.isArray(listed) ? listed.map(textOf) : []
  const base = first.endsWith('/') ? first : `${first}/`
  if (!URL.canParse(base)) return impossible('must be a list of addresses')
  setTarget(draft.check, draft.asking, new URL('api/health/checks/alarms/', base).href)
  Object.assign(draft.check, { status_code_op: 'eq', status_code_value: 200 })
  return others.length === 0 ? carried : differently('only the first node; create checks for the others')
})

const signIn: MonitorRule = text((_value, { draft, source }) => {
  setBasicAuth(draft.check, draft.asking, textOf(source.rabbitmq_username), textOf(source.rabbitmq_password))
  return differently('becomes an Authorization header whose value comes from the environment')
})

export const RABBIT = {
  rabbitmq_nodes: onlyFor(['rabbitmq'], nodes),
  rabbitmq_username: onlyFor(['rabbitmq'], signIn),
  rabbitmq_password: onlyFor(['rabbitmq'], signIn),
} satisfies Readonly<Record<string, MonitorRule>>

const forGlobalping = (rule: MonitorRule): MonitorRule => onlyWhere(({ source }) => source.type === 'globalping', rule)

const protocol: MonitorRule = text((value, { draft }) => {
  const usual = { ping: 'ICMP', dns: 'UDP' }[draft.type]
  if (value === usual || value.startsWith('HTTP')) return value === 'HTTP2' ? differently('uses HTTP/1.1') : idle
  return differently(`uses ${usual ?? 'HTTP/1.1'} instead of ${value.slice(0, 20)}`)
})

export const GLOBALPING = {
  subtype: forGlobalping(text(carried)),
  location: forGlobalping(text(differently('your monitors run the check, instead of probes at that place'))),
  protocol: forGlobalping(protocol),
} satisfies Readonly<Record<string, MonitorRule>>
