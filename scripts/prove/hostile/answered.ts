// Gives an agent hostile answers to checks of all kinds: real answers with damage.
import { SCHEME_ROWS } from '../../../packages/check-rules/dist/schemes.js'
import { dice } from '../../../packages/server/test/support/dice.ts'
import { type Outcome, tally, until } from '../../lab/proof.ts'
import { type CheckEntry, numberOf, openOrg, UNLIMITED, type World } from '../../lab/world.ts'
import { watchAgent } from './agent.ts'
import type { Amount } from './requests.ts'
import { openTarget, type Port } from './target.ts'

const [INTERVAL_SEC, TIMEOUT_SEC] = [3, 2]
/** Time that a run may take, in milliseconds. If the agent stalls meanwhile, it runs the check again. */
const MOST_MS = 2 * TIMEOUT_SEC * 1000 + 1500
/** Rest of a target, which makes the agent go through the whole protocol. */
const RESTS = new Map([
  ['dns', '/x.example'],
  ['ws', '/echo'],
  ['wss', '/echo'],
  ['grpc', '/shop.Orders'],
  ['mqtt', '?topic=%24SYS/%23'],
  ['mysql', '/shop?query=select 6 * 7'],
  ['postgres', '/shop?query=select 6 * 7'],
  ['tcp', '?expect=^220&send=EHLO x\\r\\n&expect=CHUNK&send=QUIT\\r\\n'],
  ['udp', '?send=ping&expect=pong'],
])
const LOGINS = new Set(['mysql', 'postgres', 'redis', 'smtp', 'imap', 'pop3', 'ftp'])
/** Fields of the checks of each kind. */
const VARIANTS: readonly object[] = [
  {},
  { match_string: 'no such words', match_mode: 'not_contains' },
  { match_string: '(?i)(a|b|o)+[^x]*(up|well|ok)', match_mode: 'regex' },
  { assertions: [{ on: 'timing', at: 'total', is: 'lt', value: 1900 }], max_response_time_ms: 1800 },
]
const ON_WEB = [
  { on: 'json', at: '$.list[2].a', is: 'eq', value: 'b' },
  { on: 'header', at: 'set-cookie', is: 'regex', value: '(a+)+=' },
  { on: 'body', is: 'not_contains', value: 'zzz' },
]

export async function proveAnswers(world: World, { count, seed }: Amount): Promise<Outcome> {
  const server = await world.serve({ ...UNLIMITED })
  const org = await openOrg(world.deps, 'answers')
  const target = openTarget(dice(seed), world.undo)
  const [entries, ports]: [CheckEntry[], Port[]] = [[], []]
  // The kernel answers pings.
  const schemes = SCHEME_ROWS.filter(({ name, judged_by }) => judged_by === undefined && name !== 'icmp')
  for (const { name } of schemes) {
    const web = name.startsWith('http') ? [{ assertions: ON_WEB }, { assertions: ON_WEB }] : []
    for (const fields of [...VARIANTS, ...web]) {
      const made = await target.open(name)
      const login = LOGINS.has(name) ? 'ana:hunter2@' : ''
      const url = `${name}://${login}127.0.0.1:${made.port}${RESTS.get(name) ?? ''}`
      entries.push({ name: url, url, interval_sec: INTERVAL_SEC, timeout_sec: TIMEOUT_SEC, ...fields })
      ports.push(made)
    }
  }
  const guids = await org.addChecks(entries)
  const portOf = new Map(guids.map((guid, n) => [guid, ports[n]]))
  let [longest_ms, late] = [0, 0]
  const agent = await watchAgent({ world, url: server.url, org, cert: target.cert }, (guid, at) => {
    const made = portOf.get(guid)
    const took_ms = at - (made?.contacted_at ?? at)
    longest_ms = Math.max(longest_ms, took_ms)
    late += took_ms > (TIMEOUT_SEC + 0.5) * 1000 ? 1 : 0
    if (made) made.contacted_at = undefined
  })
  const due_ms = (count / guids.length) * INTERVAL_SEC * 1000
  await until(() => agent.runs >= count, 2 * due_ms + 60_000)
  const { peak_mb, faults } = await agent.finish()
  const stored = await numberOf(world.deps, 'select count(*) from results where org_id = $1', org.org_id)
  await server.stop()
  return {
    faults: [
      ...faults.slice(0, 10),
      agent.runs < count && `only ${agent.runs} runs`,
      stored !== agent.results && `${agent.results} runs had a result, and ${stored} results are stored`,
      longest_ms > MOST_MS && `a run took ${longest_ms} ms`,
    ],
    figures: [
      `${agent.runs} runs of ${guids.length} checks: ${tally(agent.outcomes)}`,
      `answers: ${tally(target.counts)}`,
      `${stored} results stored, longest run ${longest_ms} ms of a timeout of ${TIMEOUT_SEC} s, ${late} run again`,
      `peak of the agent ${peak_mb.toFixed(0)} MB`,
    ],
  }
}
