// Proves that every kind of channel delivers every change of state, in order, through a running server: heartbeats fail and recover, and a
// fake of each vendor, which follows the vendor's documentation, responds with its form of 429, 503, a 200 that says that nothing was sent,
// never, with half a response, or accepts the message and hangs up. Nothing is lost, out of order, or sooner than a vendor asked for, and no
// stored error contains a secret.
// npm run prove -- channels [--changes N] [--seed N]
import { setTimeout as pause } from 'node:timers/promises'
import { VENDORS } from '../../packages/channels/test/fakes/all.ts'
import { openAlerts } from '../../packages/channels/test/fakes/pagerduty.ts'
import { openSyslog } from '../../packages/channels/test/fakes/syslog.ts'
import { type Mood, openFakes, type VendorRequest } from '../../packages/channels/test/fakes/vendor.ts'
import { dice } from '../../packages/runtime/test/support/dice.ts'
import { countBy, readFlags, runProof, SEED, tally, type Undo, until } from '../lab/proof.ts'
import { numberOf, openOrg, openWorld, query } from '../lab/world.ts'

const flags = readFlags({ changes: { type: 'string', default: '6' }, seed: SEED })
const [HEARTBEATS, CHANGES] = [4, Number(flags.changes)]
/**
 * Maximum time until a message arrives although its receiver failed, in milliseconds: 15 s for the attempt, and the delay that
 * the receiver requests.
 */
const TOLD_MS = 90_000
const BAD_PERCENT = 30
const MOODS: readonly Mood[] = [
  ...(['limited', 'limited', 'lies', 'fails', 'fails', 'hangs', 'hangs up', 'breaks off', 'takes in silence'] as const),
]
const LEAST_MOODS = 6
const PENDING = "select count(*) from deliveries where state = 'pending'"
const STAND_INS = new URL('./channels/stand-ins.ts', import.meta.url).href

interface Alert {
  state: string
  heartbeat: string
}

/** A message to a receiver, and how the receiver fails at it. */
interface Message {
  kind: string
  mood: Mood | undefined
  at: number
  /** Time of the next attempt. Absent if there is none. */
  again_at?: number
}

await runProof('channels', 120_000 + CHANGES * TOLD_MS, async (undo) => {
  const world = await openWorld(undo)
  const { deps } = world
  const org = await openOrg(deps, 'o')
  const { fakes, syslog, messages, statesOf } = await openReceivers(undo)
  for (const vendor of VENDORS) {
    await org.addChannel({ ...vendor.destination(fakes.at(vendor)), kind: vendor.kind, name: vendor.kind })
  }
  await org.addChannel({ kind: 'syslog', name: 'syslog', syslog_url: `tcp://127.0.0.1:${syslog.tcp}` })
  const kinds = [...VENDORS.map(({ kind }) => kind), 'syslog']
  const hosts = VENDORS.flatMap((vendor) => (vendor.origins ?? []).map((origin) => [origin, fakes.at(vendor)]))
  const standIns = { NODE_OPTIONS: `--import=${STAND_INS}`, STAND_INS: JSON.stringify(Object.fromEntries(hosts)) }
  const { url } = await world.serve({ EGRESS_ALLOW: '127.0.0.1', ADDRESS_RATE_LIMIT: 'off', ...standIns })
  const change = async (_: unknown, n: number): Promise<string[]> => {
    const name = `c${n}`
    const { token } = await org.addHeartbeat(name, 86_400, 3600)
    const ping = async (path: string) => {
      const { status } = await fetch(`${url}/ping/${token}${path}`, { method: 'POST' })
      if (status !== 200) throw new Error(`the response to a ping was ${status}`)
    }
    await ping('')
    const expected: string[] = []
    while (expected.length < CHANGES) {
      const isDown = expected.length % 2 === 0
      await ping(isDown ? '/fail' : '')
      expected.push(isDown ? 'Down' : 'Recovered')
      const wrong = () => kinds.filter((kind) => statesOf(kind, name).join() !== expected.join())
      if (!(await until(() => wrong().length === 0, TOLD_MS)))
        return wrong().map((kind) => `${kind}: ${name} is ${statesOf(kind, name).join()}, not ${expected.join()}`)
      // Waits, because a repeat of the same signal within a second counts as one change.
      await pause(1100)
    }
    return []
  }
  const faults = (await Promise.all(Array.from({ length: HEARTBEATS }, change))).flat()
  await until(async () => (await numberOf(deps, PENDING)) === 0, TOLD_MS)
  const text = 'select state, last_error, count(*)::int as count from deliveries group by 1, 2'
  const rows = await query<{ state: string; last_error: string | null; count: number }>(deps, text)
  const secrets = VENDORS.flatMap((vendor) => Object.values(vendor.destination('http://x'))).filter(
    ({ length }) => length >= 20,
  )
  const met = countBy(
    [...new Set(messages.values())].flatMap(({ mood }) => mood ?? []),
    (mood) => mood,
  )
  return {
    faults: [
      ...world.ends,
      ...faults,
      ...rows.map(
        ({ state, last_error, count }) => state !== 'delivered' && `${count} deliveries are ${state}: ${last_error}`,
      ),
      ...fakes.asked.map(
        ({ kind, reply }) =>
          typeof reply !== 'string' &&
          reply.status >= 400 &&
          `${kind} refused a message: ${JSON.stringify(reply.body)}`,
      ),
      ...syslog.faults.map((line) => `no line of syslog: ${line}`),
      ...[...messages.values()].map(tooSoon),
      ...secrets.map(
        (secret) =>
          rows.some(({ last_error }) => last_error?.includes(secret)) && `an error contains a secret: ${secret}`,
      ),
      met.size < LEAST_MOODS && `only ${met.size} bad moods were met: that is no trial`,
    ],
    figures: [
      `${kinds.length} kinds, ${HEARTBEATS * CHANGES} changes, ${HEARTBEATS * CHANGES * kinds.length} messages (seed ${flags.seed})`,
      `met: ${tally(met)}`,
      `${fakes.asked.length + syslog.got.length} requests`,
    ],
  }
})

/** Opens the receivers of all kinds of channels. They fail at times, at most once for each message. */
async function openReceivers(undo: Undo) {
  const fakes = await openFakes(VENDORS)
  undo(() => fakes.close())
  const syslog = await openSyslog()
  undo(() => syslog.close())
  /**
   * Alerts in each request, by the request's body. The fake of PagerDuty forgets an alert that was resolved, so this map keeps
   * it.
   */
  const alerts = new Map<string, Alert[]>()
  /** Returns the states of a heartbeat that the receiver of a kind has got, without repeats. */
  const statesOf = (kind: string, heartbeat: string): string[] => {
    const all =
      kind === 'syslog'
        ? syslog.got.flatMap(({ text }) => alertsIn(text))
        : fakes.taken.flatMap((one) => (one.kind === kind ? (alerts.get(one.asked.body) ?? []) : []))
    const own = all.flatMap((alert) => (alert.heartbeat === heartbeat ? [alert.state] : []))
    return own.filter((state, n) => state !== own[n - 1])
  }
  const messages = new Map<string, Message>()
  const d = dice(Number(flags.seed))
  fakes.mood = (kind, asked) => {
    const own = alerts.get(asked.body) ?? alertsOf(kind, asked)
    alerts.set(asked.body, own)
    const keys = own.map(({ state, heartbeat }) => {
      const states = statesOf(kind, heartbeat)
      return `${kind} ${heartbeat} change ${states.at(-1) === state ? states.length - 1 : states.length}`
    })
    const before = keys.flatMap((key) => messages.get(key) ?? [])
    for (const message of before) message.again_at ??= Date.now()
    if (before.length > 0 || keys.length === 0) return undefined
    const mood = d.below(100) < BAD_PERCENT ? d.one(MOODS) : undefined
    const message = { kind, mood, at: Date.now() }
    for (const key of keys) messages.set(key, message)
    return mood
  }
  return { fakes, syslog, messages, statesOf }
}

/** Returns the alerts in a request. A recovery in PagerDuty's format contains only the key of the open alert. */
function alertsOf(kind: string, asked: VendorRequest): Alert[] {
  const words = VENDORS.find((vendor) => vendor.kind === kind)?.words(asked) ?? ''
  const opened = words.startsWith('resolve ') ? openAlerts.get(words.slice('resolve '.length)) : undefined
  const said = alertsIn(opened?.replace('Down', 'Recovered') ?? words)
  // If a message has several alerts, its title names none of them, so the body is read.
  return said.length > 0 ? said : alertsIn(asked.body)
}

function alertsIn(words: string): Alert[] {
  const found = words.matchAll(/\b(Down|Recovered): (c\d+)\b/g)
  return [...found].map(([, state = '', heartbeat = '']) => ({ state, heartbeat }))
}

/** Returns a fault if a message came again sooner than its receiver had requested. Returns false otherwise. */
function tooSoon({ kind, mood, at, again_at }: Message): string | false {
  const wait_sec = VENDORS.find((vendor) => vendor.kind === kind)?.limited.wait_sec
  if (mood !== 'limited' || again_at === undefined || wait_sec === undefined) return false
  const waited_sec = (again_at - at) / 1000
  return waited_sec < wait_sec - 0.1 && `${kind} got a message again after ${waited_sec.toFixed(1)} s of ${wait_sec} s`
}
