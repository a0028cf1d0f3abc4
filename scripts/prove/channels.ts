// Proves that every kind of channel tells every change of state, in order, through a running server: heartbeats fail and come back, and a
// fake of each vendor, which speaks what the vendor documents, answers 429 in its vendor's way, 503, a 200 that says that nothing was sent,
// never, with half an answer, or takes the message and hangs up. Nothing is lost, nothing comes out of order, nothing sooner than a vendor
// asked for, and no error that is stored holds a secret.
// npm run prove -- channels [--heartbeats N] [--changes N] [--seed N]
import { setTimeout as pause } from 'node:timers/promises'
import { createChannel } from '../../packages/server/dist/domain/channels/edit.js'
import { createHeartbeat } from '../../packages/server/dist/domain/heartbeats/edit.js'
import { VENDORS } from '../../packages/server/test/channels/fakes/all.ts'
import { openSyslog, type SyslogServer } from '../../packages/server/test/channels/fakes/syslog.ts'
import {
  type Asked,
  type Fakes,
  openFakes,
  type Reply,
  type Vendor,
} from '../../packages/server/test/channels/fakes/vendor.ts'
import { dice } from '../../packages/server/test/support/dice.ts'
import { readFlags } from '../lab/proof-flags.ts'
import { type Outcome, proveInWorld, until, type World } from '../lab/world.ts'
import { openTempers, type Tempers } from './channels/tempers.ts'

const flags = readFlags({
  heartbeats: { type: 'string', default: '4' },
  changes: { type: 'string', default: '6' },
  seed: { type: 'string', default: String(Date.now() % 1e9) },
})
const HEARTBEATS = Number(flags.heartbeats)
/** Of each heartbeat. */
const CHANGES = Number(flags.changes)
const SEED = Number(flags.seed)
/** A message that meets a bad mood takes up to the 15 s of its attempt, and as long as its receiver asks for. */
const TOLD_MS = 90_000
const LIMIT_MS = 120_000 + CHANGES * TOLD_MS
const PLAN = { interval_sec: 86_400, grace_sec: 3600, resend_interval_sec: 0, show_on_status_page: false }
const STAND_INS = new URL('./channels/stand-ins.ts', import.meta.url).href

/** The heartbeats by the keys of PagerDuty's alerts: it is told no more than that when one is over. */
const opened = new Map<string, string>()

await proveInWorld('channels', LIMIT_MS, prove)

interface Stage {
  fakes: Fakes
  syslog: SyslogServer
  tempers: Tempers
  /** What each kind has been told of a heartbeat, in order, each message once. */
  toldOf(kind: string, name: string): string[]
}

async function prove(world: World): Promise<Outcome> {
  const stage = await setStage(world)
  const kinds = [...VENDORS.map(({ kind }) => kind), 'syslog']
  const places = Object.fromEntries(
    VENDORS.flatMap((vendor) => (vendor.origins ?? []).map((origin) => [origin, stage.fakes.at(vendor)])),
  )
  const { port } = await world.serve({
    EGRESS_ALLOW: '127.0.0.1',
    ADDRESS_RATE_LIMIT: 'off',
    LOG_LEVEL: 'fatal',
    NODE_OPTIONS: `--import=${STAND_INS}`,
    STAND_INS: JSON.stringify(places),
  })
  const stories = Array.from({ length: HEARTBEATS }, (_, n) => story(world, stage, { name: `c${n}`, port, kinds }))
  const faults = (await Promise.all(stories)).flat()
  // What is still repeated after it was taken in silence.
  await until(async () => (await pendingOf(world)) === 0, TOLD_MS)
  return judge(world, stage, kinds, faults)
}

async function setStage({ deps, org_id, undo }: World): Promise<Stage> {
  const fakes = await openFakes(VENDORS)
  undo(() => fakes.close())
  const syslog = await openSyslog()
  undo(() => syslog.close())
  const tempers = openTempers(VENDORS, dice(SEED), titleOf)
  fakes.mood = (kind, asked) => {
    const vendor = VENDORS.find((one) => one.kind === kind)
    return vendor && tempers.mood(vendor, asked)
  }
  for (const vendor of VENDORS) {
    const wanted = { ...vendor.destination(fakes.at(vendor)), kind: vendor.kind, name: vendor.kind }
    await createChannel(deps, org_id, wanted)
  }
  await createChannel(deps, org_id, { kind: 'syslog', name: 'syslog', syslog_url: `tcp://127.0.0.1:${syslog.tcp}` })
  const toldOf = (kind: string, name: string): string[] => {
    const titles =
      kind === 'syslog'
        ? syslog.got.map(({ text }) => titleIn(text))
        : fakes.taken
            .filter((one) => one.kind === kind)
            .map(({ asked }) =>
              titleOf(
                VENDORS.find((one) => one.kind === kind),
                asked,
              ),
            )
    const ours = titles.filter((title) => title.endsWith(` ${name}`)).map((title) => title.split(' ')[0] ?? '')
    return ours.filter((state, i) => state !== ours[i - 1])
  }
  return { fakes, syslog, tempers, toldOf }
}

/** A job that fails and succeeds; each change is told everywhere before the next one. */
async function story(
  world: World,
  { toldOf }: Stage,
  { name, port, kinds }: { name: string; port: number; kinds: readonly string[] },
): Promise<string[]> {
  const { token } = await createHeartbeat(world.deps, world.org_id, { ...PLAN, name })
  const url = `http://127.0.0.1:${port}/ping/${token}`
  await call(url)
  const expected: string[] = []
  for (let n = 0; n < CHANGES; n += 1) {
    const state = n % 2 === 0 ? 'Down' : 'Recovered'
    await call(state === 'Down' ? `${url}/fail` : url)
    expected.push(state)
    await until(() => kinds.every((kind) => toldOf(kind, name).length >= expected.length), TOLD_MS)
    const late = kinds.filter((kind) => toldOf(kind, name).join() !== expected.join())
    if (late.length > 0)
      return late.map(
        (kind) => `${kind}: ${name} should be ${expected.join()}, and is ${toldOf(kind, name).join() || 'nothing'}`,
      )
    // A repeat of a signal within a second is taken for the same.
    await pause(1100)
  }
  return []
}

async function call(url: string): Promise<void> {
  const { status } = await fetch(url, { method: 'POST' })
  if (status !== 200) throw new Error(`a ping was answered ${status}`)
}

/** `Down c1`: what a request is about. */
function titleOf(vendor: Vendor | undefined, asked: Asked): string {
  if (vendor?.kind !== 'pagerduty') return titleIn(vendor?.words(asked) ?? '')
  const { dedup_key, event_action, payload } = JSON.parse(asked.body) as {
    dedup_key: string
    event_action: string
    payload?: { summary: string }
  }
  if (event_action === 'resolve') return `Recovered ${opened.get(dedup_key)}`
  const title = titleIn(payload?.summary ?? '')
  opened.set(dedup_key, title.split(' ')[1] ?? '')
  return title
}

function titleIn(words: string): string {
  const [, state = '', name = ''] = /\b(Down|Recovered): (c\d+)\b/.exec(words) ?? []
  return `${state} ${name}`
}

async function pendingOf({ deps }: World): Promise<number> {
  const { rows } = await deps.database.pools.machines.query<{ count: number }>(
    "select count(*)::int as count from deliveries where state = 'pending'",
  )
  return rows[0]?.count ?? 0
}

async function judge(
  { deps }: World,
  { fakes, syslog, tempers }: Stage,
  kinds: readonly string[],
  faults: string[],
): Promise<Outcome> {
  const { rows } = await deps.database.pools.machines.query<{
    state: string
    last_error: string | null
    count: number
  }>('select state, last_error, count(*)::int as count from deliveries group by 1, 2')
  const undelivered = rows.filter(({ state }) => state !== 'delivered')
  const secrets = VENDORS.flatMap((vendor) =>
    Object.values(vendor.destination('http://x')).filter((value) => value.length >= 20),
  )
  const told = rows.map(({ last_error }) => last_error ?? '').join('\n')
  const refused = fakes.asked.filter(({ reply }) => typeof reply !== 'string' && reply.status >= 400)
  const moods = tempers.counts()
  const met = [...moods].map(([mood, count]) => `${mood} ${count}`).join(', ')
  return {
    figures: [
      `${kinds.length} kinds, ${HEARTBEATS * CHANGES} changes, ${HEARTBEATS * CHANGES * kinds.length} messages (seed ${SEED})`,
      `met: ${met}`,
      `${fakes.asked.length + syslog.got.length} requests`,
    ].join('; '),
    faults: [
      ...faults,
      ...undelivered.map(({ state, last_error, count }) => `${count} deliveries are ${state}: ${last_error}`),
      ...refused.map(({ kind, reply }) => `${kind} refused a message: ${JSON.stringify((reply as Reply).body)}`),
      ...syslog.faults.map((line) => `no line of syslog: ${line}`),
      ...tempers.tooSoon(),
      ...secrets.filter((secret) => told.includes(secret)).map((secret) => `an error tells ${secret}`),
      ...(moods.size < 6 ? [`only ${moods.size} bad moods were met: that is no trial`] : []),
    ],
  }
}
