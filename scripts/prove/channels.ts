// Proves that every kind of channel delivers every change of state, in order, through a running server: heartbeats fail and recover, and a
// fake of each vendor, which follows the vendor's documentation, responds with its form of 429, 503, a 200 that says that nothing was sent,
// never, with half a response, or accepts the message and hangs up. Nothing is lost, out of order, or sooner than a vendor asked for, and no
// stored error contains a secret.
// npm run prove -- channels [--heartbeats N] [--changes N] [--seed N]
import { setTimeout as pause } from 'node:timers/promises'
import { VENDORS } from '../../packages/channels/test/fakes/all.ts'
import { openSyslog, type SyslogServer } from '../../packages/channels/test/fakes/syslog.ts'
import {
  type VendorRequest,
  type Fakes,
  type Mood,
  openFakes,
  type Vendor,
} from '../../packages/channels/test/fakes/vendor.ts'
import { createChannel } from '../../packages/server/dist/domain/channels/edit.js'
import { createHeartbeat } from '../../packages/server/dist/domain/heartbeats/edit.js'
import { dice } from '../../packages/server/test/support/dice.ts'
import { countPending } from '../lab/alerts/judge.ts'
import { countBy, type Outcome, readFlags, runProof, SEED, tally, until } from '../lab/proof.ts'
import { heartbeatOf, openOrg, openWorld, query, type World } from '../lab/world.ts'

const flags = readFlags({
  heartbeats: { type: 'string', default: '4' },
  changes: { type: 'string', default: '6' },
  seed: SEED,
})
const [HEARTBEATS, CHANGES] = [Number(flags.heartbeats), Number(flags.changes)]
/** Time of a message in a bad mood: 15 s of its attempt, and the delay that its receiver asks for. */
const TOLD_MS = 90_000
const BAD_PERCENT = 30
const MOODS: readonly Mood[] = [
  ...(['limited', 'limited', 'lies', 'fails', 'fails', 'hangs', 'hangs up', 'breaks off', 'takes in silence'] as const),
]
const STAND_INS = new URL('./channels/stand-ins.ts', import.meta.url).href

/** A bad mood of a receiver, for one message. */
interface BadMood {
  mood: Mood
  at: number
  /** Time of the next attempt. Absent if there is none yet. */
  again_at?: number
}

/** Heartbeats by the keys of PagerDuty's alerts, because a recovery has nothing else. */
const opened = new Map<string, string>()

await runProof('channels', 120_000 + CHANGES * TOLD_MS, async (undo) => {
  const world = await openWorld(undo)
  const { org_id } = await openOrg(world.deps, 'o')
  const fakes = await openFakes(VENDORS)
  undo(() => fakes.close())
  const syslog = await openSyslog()
  undo(() => syslog.close())
  const moods = new Map<string, BadMood | undefined>()
  fakes.mood = moodOf(moods)
  for (const vendor of VENDORS) {
    await createChannel(world.deps, org_id, {
      ...vendor.destination(fakes.at(vendor)),
      ...{ kind: vendor.kind, name: vendor.kind },
    })
  }
  const target = { kind: 'syslog', name: 'syslog', syslog_url: `tcp://127.0.0.1:${syslog.tcp}` }
  await createChannel(world.deps, org_id, target)
  const kinds = [...VENDORS.map(({ kind }) => kind), 'syslog']
  /** Returns the states that a kind has received of a heartbeat, each message once. */
  const statesOf = (kind: string, name: string): string[] => {
    const requests = fakes.taken.filter((one) => one.kind === kind)
    const titles =
      kind === 'syslog'
        ? syslog.got.map(({ text }) => titleIn(text))
        : requests.map(({ asked }) => titleOf(vendorOf(kind), asked))
    const own = titles.filter((title) => title.endsWith(` ${name}`)).map((title) => title.split(' ')[0] ?? '')
    return own.filter((state, n) => state !== own[n - 1])
  }
  const places = VENDORS.flatMap((vendor) => (vendor.origins ?? []).map((origin) => [origin, fakes.at(vendor)]))
  const limits = { EGRESS_ALLOW: '127.0.0.1', ADDRESS_RATE_LIMIT: 'off' }
  const standIns = { NODE_OPTIONS: `--import=${STAND_INS}`, STAND_INS: JSON.stringify(Object.fromEntries(places)) }
  const { url } = await world.serve({ ...limits, ...standIns })
  const tell = async (_: unknown, n: number): Promise<string[]> => {
    const name = `c${n}`
    const { token } = await createHeartbeat(world.deps, org_id, heartbeatOf(name, 86_400, 3600))
    const ping = async (path: string) => {
      const { status } = await fetch(`${url}/ping/${token}${path}`, { method: 'POST' })
      if (status !== 200) throw new Error(`the response to a ping was ${status}`)
    }
    await ping('')
    const expected: string[] = []
    for (let change = 0; change < CHANGES; change += 1) {
      const state = change % 2 === 0 ? 'Down' : 'Recovered'
      await ping(state === 'Down' ? '/fail' : '')
      expected.push(state)
      await until(() => kinds.every((kind) => statesOf(kind, name).length >= expected.length), TOLD_MS)
      const late = kinds.filter((kind) => statesOf(kind, name).join() !== expected.join())
      if (late.length > 0)
        return late.map((kind) => `${kind}: ${name} is ${statesOf(kind, name).join()}, not ${expected.join()}`)
      // A repeat of a signal within a second counts as the same.
      await pause(1100)
    }
    return []
  }
  const faults = (await Promise.all(Array.from({ length: HEARTBEATS }, tell))).flat()
  await until(async () => (await countPending(world.deps)) === 0, TOLD_MS)
  return judge(world, { fakes, syslog, moods, kinds, faults })
})

interface Observations {
  fakes: Fakes
  syslog: SyslogServer
  moods: ReadonlyMap<string, BadMood | undefined>
  kinds: readonly string[]
  faults: readonly string[]
}

async function judge({ deps, ends }: World, seen: Observations): Promise<Outcome> {
  const { fakes, syslog, moods, kinds, faults } = seen
  const text = 'select state, last_error, count(*)::int as count from deliveries group by 1, 2'
  const rows = await query<{ state: string; last_error: string | null; count: number }>(deps, text)
  const undelivered = rows.filter(({ state }) => state !== 'delivered')
  const values = VENDORS.flatMap((vendor) => Object.values(vendor.destination('http://x')))
  const errors = rows.map(({ last_error }) => last_error ?? '').join('\n')
  const refused = fakes.asked.flatMap(({ kind, reply }) =>
    typeof reply !== 'string' && reply.status >= 400
      ? [`${kind} refused a message: ${JSON.stringify(reply.body)}`]
      : [],
  )
  const met = countBy(
    [...moods.values()].filter((one) => one !== undefined),
    ({ mood }) => mood,
  )
  return {
    faults: [
      ...ends,
      ...faults,
      ...undelivered.map(({ state, last_error, count }) => `${count} deliveries are ${state}: ${last_error}`),
      ...refused,
      ...syslog.faults.map((line) => `no line of syslog: ${line}`),
      ...tooSoon(moods),
      ...values.map((value) => value.length >= 20 && errors.includes(value) && `an error contains ${value}`),
      met.size < 6 && `only ${met.size} bad moods were met: that is no trial`,
    ],
    figures: [
      `${kinds.length} kinds, ${HEARTBEATS * CHANGES} changes, ${HEARTBEATS * CHANGES * kinds.length} messages (seed ${flags.seed})`,
      `met: ${tally(met)}`,
      `${fakes.asked.length + syslog.got.length} requests`,
    ],
  }
}

function vendorOf(kind: string): Vendor | undefined {
  return VENDORS.find((vendor) => vendor.kind === kind)
}

/** Returns what a request is about, such as `Down c1`. */
function titleOf(vendor: Vendor | undefined, asked: VendorRequest): string {
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

/** Puts receivers in bad moods: at most one for each message. */
function moodOf(moods: Map<string, BadMood | undefined>) {
  const d = dice(Number(flags.seed))
  const changes = new Map<string, { state: string; number: number }>()
  return (kind: string, asked: VendorRequest): Mood | undefined => {
    const [state = '', name = ''] = titleOf(vendorOf(kind), asked).split(' ')
    const about = `${kind} ${name}`
    const last = changes.get(about) ?? { state: '', number: 0 }
    const number = state === last.state ? last.number : last.number + 1
    changes.set(about, { state, number })
    const key = `${about} change ${number}`
    if (moods.has(key)) {
      const before = moods.get(key)
      if (before) before.again_at ??= Date.now()
      return undefined
    }
    const mood = d.below(100) < BAD_PERCENT ? d.one(MOODS) : undefined
    moods.set(key, mood && { mood, at: Date.now() })
    return mood
  }
}

/** Returns the messages that came again sooner than their receiver had asked for. */
function tooSoon(moods: ReadonlyMap<string, BadMood | undefined>): string[] {
  return [...moods].flatMap(([key, one]) => {
    const wait_sec = vendorOf(key.split(' ')[0] ?? '')?.limited?.wait_sec
    if (one?.mood !== 'limited' || one.again_at === undefined || wait_sec === undefined) return []
    const waited_sec = (one.again_at - one.at) / 1000
    return waited_sec < wait_sec - 0.1 ? [`${key} came again after ${waited_sec.toFixed(1)} s of ${wait_sec} s`] : []
  })
}
