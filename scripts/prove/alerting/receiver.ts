// The receiver of webhooks: a real HTTP server that verifies each with the package that customers use, records who sent
// it, and in its bad moods answers 500, hangs up or never answers.
import { readdirSync, readlinkSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { newGuid } from '../../../packages/server/dist/runtime/ids.js'
import { systemRandom } from '../../../packages/server/dist/runtime/random.js'
import type { Dice } from '../../../packages/server/test/support/dice.ts'
import type { World } from '../../lab/world.ts'

/** What a receiver does with a request. `taken in silence`: it accepts it, and hangs up before it says so. */
export type Answer = 'taken' | '500' | 'hung up' | 'taken in silence' | 'no answer'

export interface Arrival {
  /** Milliseconds since the Unix epoch. */
  at: number
  webhook_id: string
  type: string
  /** The guid of the check or heartbeat. */
  about: string
  incident_id: string
  /** When it went down, and when it came up again, in milliseconds since the Unix epoch. */
  since: number
  ended_at: number | undefined
  body: string
  answer: Answer
  /** The process that sent it; undefined when it was gone already. */
  sender: number | undefined
}

export interface Receiver {
  readonly name: string
  readonly url: string
  readonly secret: string
  readonly arrivals: readonly Arrival[]
  /** Deliveries that must not be sent. */
  readonly faults: readonly string[]
  /** What it has accepted about one check or heartbeat: each message once, in the order in which they first came. */
  takenAbout(guid: string): Arrival[]
  /**
   * Like {@link takenAbout}, but with each message that it never accepted where it accepted a later one: such a message was given up, if
   * the deliveries say so as well.
   */
  settledAbout(guid: string): Arrival[]
}

/** An alert, as a receiver reads it. */
export type ReadAlert = Pick<Arrival, 'type' | 'about' | 'incident_id' | 'since' | 'ended_at'>

/** How a receiver reads a message, which may hold several alerts, and what it answers when it has taken it. */
export interface Format {
  read(request: IncomingMessage, body: string): { webhook_id: string; alerts: readonly ReadAlert[] }
  answer: string
}

interface Webhooked {
  type: string
  data: {
    check?: { guid: string }
    heartbeat?: { guid: string }
    incident_id?: string
    since?: string
    ended_at?: string
  }
}

export interface Temper {
  /** Whether it has bad moods: at most one for each message. */
  isMoody: boolean
  dice: Dice
  /** Whoever may send. */
  senders: () => readonly number[]
}

const MOODS: readonly Answer[] = [
  '500',
  '500',
  '500',
  'hung up',
  'hung up',
  'taken in silence',
  'taken in silence',
  'no answer',
]
/** This many of a hundred messages meet a bad mood. */
const BAD_PERCENT = 25
const THINKS_MS = 300

/** `format`: left out, that of signed webhooks. */
export async function openReceiver(
  name: string,
  temper: Temper,
  undo: World['undo'],
  format?: Format,
): Promise<Receiver> {
  const secret = `whsec_${Buffer.from(systemRandom(32)).toString('base64')}`
  const { read, answer: said } = format ?? webhooks(new Webhook(secret))
  const arrivals: Arrival[] = []
  const faults: string[] = []
  const seen = new Set<string>()
  const taken = new Map<string, Arrival[]>()
  const first = new Map<string, Arrival[]>()
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const owner = ownerOf(request.socket.remotePort ?? 0, temper.senders)
    const body = await text(request)
    const sender = await owner
    const { webhook_id, alerts } = read(request, body)
    const isNew = !seen.has(webhook_id)
    seen.add(webhook_id)
    const isBad = temper.isMoody && isNew && temper.dice.below(100) < BAD_PERCENT
    const at = Date.now()
    const answer = isBad ? temper.dice.one(MOODS) : 'taken'
    const thinks_ms = temper.dice.below(THINKS_MS)
    for (const [n, alert] of alerts.entries()) {
      const arrival: Arrival = { ...alert, at, webhook_id, body, sender, answer }
      // A message is one arrival, whatever it holds.
      if (n === 0) arrivals.push(arrival)
      if (isNew) first.set(alert.about, [...(first.get(alert.about) ?? []), arrival])
      if (answer === 'taken' && !taken.get(alert.about)?.some((other) => other.webhook_id === webhook_id)) {
        taken.set(alert.about, [...(taken.get(alert.about) ?? []), arrival])
      }
    }
    await pause(thinks_ms)
    react(answer, response, said)
  }
  const server = createServer((request, response) => {
    take(request, response).catch((error: unknown) => {
      // A sender that was killed broke off: that is no message.
      if (!request.destroyed || request.complete) faults.push(`${name}: ${String(error)}`)
      response.destroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  undo(
    () =>
      new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      }),
  )
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${newGuid(systemRandom)}`
  const takenAbout = (guid: string) => taken.get(guid) ?? []
  const settledAbout = (guid: string): Arrival[] => {
    const accepted = new Map(takenAbout(guid).map((arrival) => [arrival.webhook_id, arrival]))
    const all = (first.get(guid) ?? []).map((arrival) => accepted.get(arrival.webhook_id) ?? arrival)
    return all.slice(0, all.findLastIndex(({ answer }) => answer === 'taken') + 1)
  }
  return { name, url, secret, arrivals, faults, takenAbout, settledAbout }
}

function react(answer: Answer, response: ServerResponse, said: string): void {
  if (answer === 'taken') response.writeHead(said === '' ? 204 : 200).end(said)
  else if (answer === '500') response.writeHead(500).end('not today')
  else if (answer !== 'no answer') response.destroy()
}

function webhooks(webhook: Webhook): Format {
  return {
    read: ({ headers }, body) => {
      const told = webhook.verify(body, headers as Record<string, string>) as Webhooked
      return { webhook_id: String(headers['webhook-id']), alerts: [alertIn(told)] }
    },
    answer: '',
  }
}

function alertIn({ type, data }: Webhooked): ReadAlert {
  const { check, heartbeat, incident_id = '', since = '', ended_at } = data
  return {
    type,
    about: (check ?? heartbeat)?.guid ?? '',
    incident_id,
    since: Date.parse(since),
    ended_at: ended_at === undefined ? undefined : Date.parse(ended_at),
  }
}

let connections: Promise<string> | undefined

/**
 * What the kernel says of all connections, from now on or a little later. It takes tens of milliseconds on a busy machine, and everything
 * here shares one thread: so nobody blocks it, and one look serves all who ask before it begins.
 */
function readConnections(): Promise<string> {
  connections ??= looking.then(() => {
    connections = undefined
    const look = readFile('/proc/net/tcp', 'utf8')
    looking = look.catch(() => {})
    return look
  })
  return connections
}

let looking: Promise<unknown> = Promise.resolve()

/** Which of these processes has a connection from this port. */
async function ownerOf(port: number, senders: () => readonly number[]): Promise<number | undefined> {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')} `
  const lines = (await readConnections()).split('\n')
  const line = lines.find((one) => one.slice(0, one.indexOf(' ', one.indexOf(': ') + 2) + 1).endsWith(wanted))
  const inode = line?.trim().split(/\s+/)[9]
  const pids = senders()
  return pids.find((pid) => socketsOf(pid).includes(`socket:[${inode}]`))
}

function socketsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return [readlinkSync(`/proc/${pid}/fd/${fd}`)]
      } catch {
        return []
      }
    })
  } catch {
    return []
  }
}
