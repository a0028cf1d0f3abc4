// Receives webhooks: verifies each with the package that customers use, records who sent it, and in a bad mood responds with 500, hangs
// up or never responds.
import { readdirSync, readlinkSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { newGuid } from '../../../packages/runtime/dist/ids.js'
import { systemRandom } from '../../../packages/runtime/dist/random.js'
import type { Dice } from '../../../packages/server/test/support/dice.ts'
import { listen, type Undo } from '../proof.ts'

/** Response to a message. `accepted in silence`: the receiver accepts the message, and hangs up before it says so. */
export type Answer = 'accepted' | '500' | 'hung up' | 'accepted in silence' | 'no response'

/** An alert in a message. */
export interface ReadAlert {
  type: string
  /** Guid of the check or heartbeat. */
  about: string
  incident_id: string
  /** Time of the beginning, in milliseconds since the Unix epoch. */
  since: number
  ended_at: number | undefined
}

export interface Arrival extends ReadAlert {
  at: number
  webhook_id: string
  body: string
  answer: Answer
  /** Process id of the sender. Absent if it has ended. */
  sender: number | undefined
}

export interface Receiver {
  readonly name: string
  readonly url: string
  readonly secret: string
  /** One for each message, whatever it contains. */
  readonly arrivals: readonly Arrival[]
  readonly faults: readonly string[]
  /** Returns what it accepted about a check or heartbeat: each message once, in the order of their first attempts. */
  takenAbout(guid: string): Arrival[]
  /** Returns what {@link takenAbout} returns, and messages that it never accepted although it accepted a later one. */
  settledAbout(guid: string): Arrival[]
}

/** Way to read a message, and body of the response that accepts it. */
export interface Format {
  read(request: IncomingMessage, body: string): { webhook_id: string; alerts: readonly ReadAlert[] }
  answer: string
}

export interface Temper {
  /** Whether it has bad moods: at most one for each message. */
  isMoody: boolean
  dice: Dice
  /** Process ids of possible senders. */
  senders: () => readonly number[]
}

const MOODS: readonly Answer[] = ['500', '500', '500', 'hung up', 'hung up', 'accepted in silence', 'no response']
const BAD_PERCENT = 25
const THINKS_MS = 300

/** Opens a receiver, by default of signed webhooks. */
export async function openReceiver(name: string, temper: Temper, undo: Undo, format?: Format): Promise<Receiver> {
  const secret = `whsec_${Buffer.from(systemRandom(32)).toString('base64')}`
  const { read, answer: said } = format ?? webhooks(new Webhook(secret))
  const [arrivals, faults]: [Arrival[], string[]] = [[], []]
  const [taken, first] = [new Map<string, Arrival[]>(), new Map<string, Arrival[]>()]
  const seen = new Set<string>()
  const add = (to: Map<string, Arrival[]>, arrival: Arrival) =>
    to.set(arrival.about, [...(to.get(arrival.about) ?? []), arrival])
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const owner = ownerOf(request.socket.remotePort ?? 0, temper.senders)
    const body = await text(request)
    const sender = await owner
    const { webhook_id, alerts } = read(request, body)
    const isNew = !seen.has(webhook_id)
    seen.add(webhook_id)
    const isBad = temper.isMoody && isNew && temper.dice.below(100) < BAD_PERCENT
    const answer = isBad ? temper.dice.one(MOODS) : 'accepted'
    const thinks_ms = temper.dice.below(THINKS_MS)
    const at = Date.now()
    for (const [n, alert] of alerts.entries()) {
      const arrival: Arrival = { ...alert, at, webhook_id, body, sender, answer }
      if (n === 0) arrivals.push(arrival)
      if (isNew) add(first, arrival)
      const isKnown = taken.get(alert.about)?.some((other) => other.webhook_id === webhook_id)
      if (answer === 'accepted' && !isKnown) add(taken, arrival)
    }
    await pause(thinks_ms)
    if (answer === 'accepted') response.writeHead(said === '' ? 204 : 200).end(said)
    else if (answer === '500') response.writeHead(500).end('not today')
    else if (answer !== 'no response') response.destroy()
  }
  const server = createServer((request, response) => {
    take(request, response).catch((error: unknown) => {
      // A killed sender breaks off.
      if (!request.destroyed || request.complete) faults.push(`${name}: ${String(error)}`)
      response.destroy()
    })
  })
  const url = `http://127.0.0.1:${await listen(server, undo)}/${newGuid(systemRandom)}`
  const takenAbout = (guid: string) => taken.get(guid) ?? []
  const settledAbout = (guid: string): Arrival[] => {
    const accepted = new Map(takenAbout(guid).map((arrival) => [arrival.webhook_id, arrival]))
    const all = (first.get(guid) ?? []).map((arrival) => accepted.get(arrival.webhook_id) ?? arrival)
    return all.slice(0, all.findLastIndex(({ answer }) => answer === 'accepted') + 1)
  }
  return { name, url, secret, arrivals, faults, takenAbout, settledAbout }
}

interface WebhookBody {
  type: string
  data: {
    check?: { guid: string }
    heartbeat?: { guid: string }
    incident_id?: string
    since?: string
    ended_at?: string
  }
}

function webhooks(webhook: Webhook): Format {
  return {
    answer: '',
    read: ({ headers }, body) => {
      const { type, data } = webhook.verify(body, headers as Record<string, string>) as WebhookBody
      const { check, heartbeat, incident_id = '', since = '', ended_at } = data
      const ended = ended_at === undefined ? undefined : Date.parse(ended_at)
      const about = (check ?? heartbeat)?.guid ?? ''
      const alert = { type, about, incident_id, since: Date.parse(since), ended_at: ended }
      return { webhook_id: String(headers['webhook-id']), alerts: [alert] }
    },
  }
}

let reading: Promise<unknown> = Promise.resolve()
let connections: Promise<string> | undefined

/** Reads the connections that the kernel lists. One read serves all callers before it begins, because it takes tens of milliseconds. */
function readConnections(): Promise<string> {
  connections ??= reading.then(() => {
    connections = undefined
    const read = readFile('/proc/net/tcp', 'utf8')
    reading = read.catch(() => {})
    return read
  })
  return connections
}

/** Returns the process that has the connection from a port. */
async function ownerOf(port: number, senders: () => readonly number[]): Promise<number | undefined> {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')} `
  const lines = (await readConnections()).split('\n')
  const line = lines.find((one) => one.slice(0, one.indexOf(' ', one.indexOf(': ') + 2) + 1).endsWith(wanted))
  const inode = line?.trim().split(/\s+/)[9]
  return senders().find((pid) => linksOf(pid).includes(`socket:[${inode}]`))
}

/** Lists the open files of a process. Empty if the process has ended. */
export function linksOf(pid: number): string[] {
  const unless = <Value>(read: () => Value[]): Value[] => {
    try {
      return read()
    } catch {
      return []
    }
  }
  const folder = `/proc/${pid}/fd`
  return unless(() => readdirSync(folder)).flatMap((fd) => unless(() => [readlinkSync(`${folder}/${fd}`)]))
}
