// Receives alerts: verifies each webhook with the package that customers use, and records who sent it. At times it fails: it
// responds with 500, hangs up or never responds.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { newGuid } from '../../../packages/runtime/dist/ids.js'
import { systemRandom } from '../../../packages/runtime/dist/random.js'
import type { Dice } from '../../../packages/runtime/test/support/dice.ts'
import { listen, type Undo } from '../proof.ts'
import type { Org } from '../world.ts'

export interface Arrival {
  type: string
  /** Guid of the check or heartbeat. */
  about: string
  incident_id: string
  /** Beginning of the incident, and its end in the next field, in milliseconds since the Unix epoch. */
  since: number
  ended_at?: number
  at: number
  webhook_id: string
  body: string
  /** Response of the receiver. With `accepted in silence`, it accepts the message, but hangs up before it responds. */
  answer: 'accepted' | '500' | 'hung up' | 'accepted in silence' | 'no response'
  /** Id of the process that sent the message. */
  sender: number
}

export interface Receiver {
  readonly name: string
  /** Id of the channel that sends to this receiver. */
  readonly channel_id: number
  readonly arrivals: readonly Arrival[]
  readonly faults: readonly string[]
  /** Returns the accepted alerts about a check or heartbeat. A repeated message counts once. */
  takenAbout(guid: string): readonly Arrival[]
}

export interface ReceiverPlan {
  name: string
  dice: Dice
  /** Whether the receiver fails at times. It fails at most once for each message. */
  isMoody?: boolean
}

const MOODS = ['500', '500', '500', 'hung up', 'hung up', 'accepted in silence', 'no response'] as const
const BAD_PERCENT = 25
const THINKS_MS = 300

/** Opens a receiver, and creates a channel of the organisation that sends to it. */
export async function openReceiver(org: Org, { name, dice, isMoody }: ReceiverPlan, undo: Undo): Promise<Receiver> {
  const [arrivals, faults]: [Arrival[], string[]] = [[], []]
  const taken = new Map<string, Arrival[]>()
  const [seen, accepted] = [new Set<string>(), new Set<string>()]
  const webhook_secret = `whsec_${Buffer.from(systemRandom(32)).toString('base64')}`
  const webhook = new Webhook(webhook_secret)
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request)
    const alert = alertIn(webhook.verify(body, request.headers as Record<string, string>) as WebhookBody)
    const webhook_id = String(request.headers['webhook-id'])
    const isBad = isMoody && !seen.has(webhook_id) && dice.below(100) < BAD_PERCENT
    seen.add(webhook_id)
    const answer: Arrival['answer'] = isBad ? dice.one(MOODS) : 'accepted'
    const sender = senderAt(request.socket.remoteAddress)
    const arrival = { ...alert, at: Date.now(), webhook_id, body, answer, sender }
    arrivals.push(arrival)
    if (answer === 'accepted' && !accepted.has(webhook_id)) {
      accepted.add(webhook_id)
      taken.set(alert.about, [...(taken.get(alert.about) ?? []), arrival])
    }
    await pause(dice.below(THINKS_MS))
    if (answer === 'accepted') response.writeHead(204).end()
    else if (answer === '500') response.writeHead(500).end('not today')
    else if (answer !== 'no response') response.destroy()
  }
  const server = createServer((request, response) => {
    take(request, response).catch((error: unknown) => {
      // If the sender was killed, its request breaks off, which is no fault.
      if (!request.destroyed || request.complete) faults.push(`${name}: ${String(error)}`)
      response.destroy()
    })
  })
  const webhook_url = `http://127.0.0.1:${await listen(server, undo)}/${newGuid(systemRandom)}`
  return {
    name,
    channel_id: await org.addChannel({ name, kind: 'webhook', webhook_url, webhook_secret }),
    arrivals,
    faults,
    takenAbout: (guid) => taken.get(guid) ?? [],
  }
}

/** Returns the process id that a server puts into its address (lab/return-address.ts). */
function senderAt(address = ''): number {
  return address
    .split('.')
    .slice(1)
    .map(Number)
    .reduce((pid, part) => pid * 256 + part, 0)
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

function alertIn({ type, data: { check, heartbeat, incident_id = '', since = '', ended_at } }: WebhookBody) {
  const about = (check ?? heartbeat)?.guid ?? ''
  const ended = ended_at === undefined ? {} : { ended_at: Date.parse(ended_at) }
  return { type, about, incident_id, since: Date.parse(since), ...ended }
}
