// Where the server spends its time, by the purpose of its functions.
import type { CpuProfile } from '../../lab/inspector.ts'
import { type Share, Sums } from './shares.ts'

/**
 * By the place of the running function. Time in Node or the language counts for its caller: when the driver writes to a
 * socket, that is the driver's time. The first pattern that matches counts.
 */
const GROUPS: readonly (readonly [name: string, place: RegExp])[] = [
  ['zlib and compression', /node:(internal\/)?zlib|\/compression\//],
  ['pg driver', /\/node_modules\/pg(-|\/)/],
  ['query builder (kysely)', /\/node_modules\/kysely\//],
  ['validation', /\/node_modules\/(ajv|express-openapi-validator|openapi)|\/http\/validate\./],
  [
    'express',
    /\/node_modules\/(express|router|send|on-finished|depd|finalhandler|qs|parseurl|proxy-addr|vary|accepts|type-is|raw-body)\//,
  ],
  ['log', /\/node_modules\/(pino|sonic-boom)/],
  ['our http', /\/dist\/http\//],
  ['our domain', /\/dist\/domain\//],
  ['our store', /\/dist\/store\//],
  ['our alerting', /\/dist\/alerting\//],
  ['our runtime', /\/dist\/runtime\//],
]
const OF_V8 = new Map([
  ['(garbage collector)', 'garbage collection'],
  ['(program)', 'outside of JavaScript'],
])
const OF_NODE = 'http and sockets of Node'
const IDLE = ['(idle)', '(root)']

/** Groups and single functions with their shares of the busy time, and the share of busy time in all time. */
export function readProfile({ nodes, samples, timeDeltas }: CpuProfile): {
  busy: number
  groups: Share[]
  functions: Share[]
} {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const callers = new Map(nodes.flatMap((node) => (node.children ?? []).map((id) => [id, node] as const)))
  const groups = new Sums()
  const functions = new Sums()
  let [busy, all] = [0, 0]
  for (const [place, id] of samples.entries()) {
    const node = byId.get(id)
    const took = timeDeltas[place] ?? 0
    all += took
    if (!node || IDLE.includes(node.callFrame.functionName)) continue
    busy += took
    groups.add(groupOf(node, callers), took)
    functions.add(nameOf(node.callFrame), took)
  }
  return { busy: busy / all, groups: groups.sharesOf(busy), functions: functions.sharesOf(busy) }
}

type Node = CpuProfile['nodes'][number]
type Frame = Node['callFrame']

function groupOf(node: Node, callers: ReadonlyMap<number, Node>): string {
  const ofV8 = OF_V8.get(node.callFrame.functionName)
  if (ofV8 !== undefined) return ofV8
  let at: Node | undefined = node
  while (at && !isFile(at.callFrame)) at = callers.get(at.id)
  if (!at) return OF_NODE
  const { url } = at.callFrame
  return GROUPS.find(([, place]) => place.test(url))?.[0] ?? 'other packages'
}

function isFile({ url }: Frame): boolean {
  return url !== '' && (!url.startsWith('node:') || url.includes('zlib'))
}

function nameOf({ functionName, url, lineNumber }: Frame): string {
  const file = url.replace(/^.*\/(node_modules|dist)\//, '')
  return `${functionName || '(anonymous)'}${file === '' ? '' : ` ${file}:${lineNumber + 1}`}`
}
