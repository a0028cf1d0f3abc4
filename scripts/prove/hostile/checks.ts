// Gives an agent hostile definitions, and hostile answers to checks of all kinds: real answers with damage.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { hostileDefinition } from '../../../packages/api/test/support/hostile-definitions.ts'
import { SCHEME_ROWS } from '../../../packages/check-rules/dist/schemes.js'
import { createConfigurationToken } from '../../../packages/domain/dist/configuration/tokens.js'
import { setLimitsGiven } from '../../../packages/domain/dist/organisations/organisation.js'
import { dice } from '../../../packages/runtime/test/support/dice.ts'
import { startAgent } from '../../lab/clients/agents.ts'
import { peakMemory } from '../../lab/cpu.ts'
import { countBy, tally, until } from '../../lab/proof.ts'
import { type CheckEntry, numberOf, type Org, openOrg, query, UNLIMITED, type World } from '../../lab/world.ts'
import { openTarget, type Port } from './target.ts'

/** Number of changes that an organisation may make at once, and number of requests that a token may make at once. */
const [OF_ORG, OF_TOKEN] = [2000, 200]
/** Interval of the definitions that the agent runs, in seconds. */
const SOON_SEC = 10
/** Maximum time until the agent has run each check, even with the longest timeout, in milliseconds. */
const RUN_MS = 180_000
const [INTERVAL_SEC, TIMEOUT_SEC] = [3, 2]
/** Maximum time of a run, in milliseconds. It is twice the timeout, because the agent runs a check again if the agent stalled. */
const MOST_MS = 2 * TIMEOUT_SEC * 1000 + 1500
const MOST_MB = 250
const UPLOAD_MS = 30_000
/** Events that the agent logs at the end of a run. Only after the first one is there a result. */
const ENDS = new Set(['ran', 'not_counted', 'own_trouble'])
/** Pattern of events that mean a fault of the agent, or a request that the server did not accept. */
const FAULTS = /^(?:crashed|not json|\w+_failed|result_set_aside|disabled|key_\w+)$/
/** Login and last part of the target, by scheme, so that the agent goes through the whole protocol. */
const TARGETS: Readonly<Record<string, string>> = {
  ...{ dns: '@/x.example', ws: '@/echo', wss: '@/echo', grpc: '@/shop.Orders', mqtt: '@?topic=%24SYS/%23' },
  ...{ mysql: 'ana:hunter2@/shop?query=select 6 * 7', postgres: 'ana:hunter2@/shop?query=select 6 * 7' },
  ...{ redis: 'ana:hunter2@', smtp: 'ana:hunter2@', imap: 'ana:hunter2@', pop3: 'ana:hunter2@', ftp: 'ana:hunter2@' },
  tcp: '@?expect=^220&send=EHLO x\\r\\n&expect=CHUNK&send=QUIT\\r\\n',
  udp: '@?send=ping&expect=pong',
}
/** Schemes that an agent runs, without icmp, because only the kernel can answer pings. */
const SCHEMES = SCHEME_ROWS.filter(({ name, judged_by }) => judged_by === undefined && name !== 'icmp')
/** Variants of the rules that the checks of each scheme have. */
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

/** An agent whose log is watched for the ends of runs. */
class WatchedAgent {
  readonly runs: { guid: string; outcome: string; hasResult: boolean }[] = []
  readonly faults: string[] = []
  peak_mb = 0
  readonly #agent

  constructor(world: World, server: string, org: Org, authority: string, onEnd = (_guid: string, _at: number) => {}) {
    this.#agent = startAgent(
      {
        ...{ name: org.name, server, folder: world.folder, enrollment_token: org.enrollment_token },
        ...{ flags: ['--log-level', 'debug', '--connectivity', 'off'], env: { NODE_EXTRA_CA_CERTS: authority } },
        onLog: (line) => {
          if (FAULTS.test(line.event)) this.faults.push(JSON.stringify(line))
          if (!ENDS.has(line.event)) return
          const hasResult = line.event === 'ran'
          const outcome = String(hasResult ? line.kind : (line.why ?? line.event))
          this.runs.push({ guid: String(line.check), outcome, hasResult })
          onEnd(String(line.check), Number(line.time) || Date.now())
        },
      },
      world.undo,
    )
  }

  get outcomes(): string {
    return tally(countBy(this.runs, ({ outcome }) => outcome))
  }

  async finish(): Promise<void> {
    const { child, log, stop } = await this.#agent
    if (child.exitCode !== null || child.signalCode !== null) {
      return void this.faults.push(`the agent ended: ${JSON.stringify(log.slice(-3))}`)
    }
    await pause(2000)
    this.peak_mb = peakMemory(child.pid ?? 0)
    const code = await Promise.race([stop(), pause(UPLOAD_MS, 'late')])
    const unsent = log.find(({ event }) => event === 'stopped')?.unsent_results
    if (code !== 0 || unsent !== 0) this.faults.push(`the agent ended with ${code}, ${String(unsent)} results unsent`)
    if (this.peak_mb > MOST_MB) this.faults.push(`the agent took ${this.peak_mb.toFixed(0)} MB`)
  }
}

async function openTargets(world: World, seed: number) {
  const target = openTarget(dice(seed), world.undo)
  const authority = join(world.folder, 'authority.pem')
  await writeFile(authority, target.cert)
  return { target, authority, server: await world.serve({ ...UNLIMITED, ADDRESS_RATE_LIMIT: 'off' }) }
}

export async function proveDefinitions(world: World, count: number, seed: number) {
  const d = dice(seed)
  const { target, authority, server } = await openTargets(world, seed + 1)
  const ports = new Map<string, number>()
  for (const { name } of SCHEMES) ports.set(name, (await target.open(name)).port)
  const [answers, agents, faults]: [{ status: number; words: string }[], WatchedAgent[], string[]] = [[], [], []]
  let [ran, accepted] = [0, 0]
  for (let sent = 0; sent < count; sent += OF_ORG) {
    const org = await openOrg(world.deps, `definitions ${sent}`)
    await setLimitsGiven(world.deps, org.org_id, { min_interval_sec: 1, max_checks: 0 })
    const some = Math.min(OF_ORG, count - sent)
    const definitions = Array.from({ length: some }, () => hostileDefinition(d, (scheme) => ports.get(scheme) ?? 1))
    answers.push(...(await sendAll(world, server.url, org, definitions)))
    accepted += await numberOf(world.deps, 'select count(*) from checks where org_id = $1', org.org_id)
    const runnable = await query<{ guid: string }>(world.deps, RUNNABLE, org.org_id, SOON_SEC)
    const agent = new WatchedAgent(world, server.url, org, authority)
    const silent = () => {
      const ended = new Set(agent.runs.map(({ guid }) => guid))
      return runnable.filter(({ guid }) => !ended.has(guid))
    }
    await until(() => silent().length === 0, RUN_MS)
    faults.push(...silent().map(({ guid }) => `${guid} of ${org.name} has not run`))
    ran += runnable.length - silent().length
    await agent.finish()
    agents.push(agent)
  }
  await server.stop()
  const bad = answers.filter(({ status }) => status !== 200 && status !== 400)
  return {
    faults: [
      ...bad.slice(0, 5).map(({ status, words }) => `${status} ${words}`),
      ...agents.flatMap((agent) => agent.faults),
      ...faults.slice(0, 5),
      ran === 0 && 'no definition was run',
    ],
    figures: [
      `${count} definitions: ${tally(countBy(answers, ({ status }) => `with ${status}`))}`,
      `${accepted} accepted, ${ran} run at least once: ${agents.map(({ outcomes }) => outcomes).join(' / ')}`,
      `peak of the agent ${Math.max(...agents.map(({ peak_mb }) => peak_mb)).toFixed(0)} MB`,
    ],
  }
}

/** SQL for the guids of the checks that the agent runs within a few seconds. */
const RUNNABLE = `
  select guid from checks
  where org_id = $1 and enabled and url <> '' and interval_sec <= $2 and not is_judged_by_server(url)`

/** Sends each definition in a separate bulk request, so that the response depends on this definition only. */
async function sendAll({ deps }: World, url: string, { org_id }: Org, definitions: Record<string, unknown>[]) {
  const answers: { status: number; words: string }[] = []
  let token = ''
  for (const [n, definition] of definitions.entries()) {
    const plan = { name: `${n}`, scopes: ['write'] as const }
    if (n % OF_TOKEN === 0) token = (await createConfigurationToken(deps, org_id, plan)).token
    // Gives definitions that may be valid a short interval, so that they run soon.
    const body = definition.interval_sec === 60 ? { ...definition, interval_sec: SOON_SEC } : definition
    const text = JSON.stringify({ changes: [{ action: 'put', kind: 'check', key: `d${n}`, body }] })
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
    const response = await fetch(`${url}/config-api/v1/bulk`, { method: 'POST', headers, body: text })
    const words = `${(await response.text()).slice(0, 300)} to ${text.slice(0, 500)}`
    answers.push({ status: response.status, words })
  }
  return answers
}

export async function proveAnswers(world: World, count: number, seed: number) {
  const org = await openOrg(world.deps, 'answers')
  const { target, authority, server } = await openTargets(world, seed)
  const [entries, ports]: [CheckEntry[], Port[]] = [[], []]
  for (const { name } of SCHEMES) {
    const [login = '', rest = ''] = (TARGETS[name] ?? '@').split('@')
    const web = name.startsWith('http') ? [{ assertions: ON_WEB }, { assertions: ON_WEB }] : []
    for (const fields of [...VARIANTS, ...web]) {
      const made = await target.open(name)
      const url = `${name}://${login}${login && '@'}127.0.0.1:${made.port}${rest}`
      entries.push({ name: url, url, interval_sec: INTERVAL_SEC, timeout_sec: TIMEOUT_SEC, ...fields })
      ports.push(made)
    }
  }
  const guids = await org.addChecks(entries)
  const portOf = new Map(guids.map((guid, n) => [guid, ports[n]]))
  let [longest_ms, late] = [0, 0]
  const agent = new WatchedAgent(world, server.url, org, authority, (guid, at) => {
    const made = portOf.get(guid)
    const took_ms = at - (made?.contacted_at ?? at)
    longest_ms = Math.max(longest_ms, took_ms)
    late += took_ms > (TIMEOUT_SEC + 0.5) * 1000 ? 1 : 0
    if (made) made.contacted_at = undefined
  })
  const due_ms = (count / guids.length) * INTERVAL_SEC * 1000
  await until(() => agent.runs.length >= count, 2 * due_ms + 60_000)
  await agent.finish()
  const stored = await numberOf(world.deps, 'select count(*) from results where org_id = $1', org.org_id)
  await server.stop()
  const results = agent.runs.filter(({ hasResult }) => hasResult).length
  return {
    faults: [
      ...agent.faults.slice(0, 10),
      agent.runs.length < count && `only ${agent.runs.length} runs`,
      stored !== results && `${results} runs had a result, and ${stored} results are stored`,
      longest_ms > MOST_MS && `a run took ${longest_ms} ms`,
    ],
    figures: [
      `${agent.runs.length} runs of ${guids.length} checks: ${agent.outcomes}`,
      `answers: ${tally(target.counts)}`,
      `${stored} results stored, longest run ${longest_ms} ms of a timeout of ${TIMEOUT_SEC} s, ${late} run again`,
      `peak of the agent ${agent.peak_mb.toFixed(0)} MB`,
    ],
  }
}
