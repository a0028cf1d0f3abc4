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
import type { ChannelFields } from '../world.ts'

/** An alert in a message. Times are in milliseconds since the Unix epoch. Only webhooks name the incident. */
export interface ReadAlert {
  type: string
  /** Guid of the check or heartbeat. */
  about: string
  incident_id?: string
  since?: number
  ended_at?: number
}

export interface Arrival extends ReadAlert {
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
  /** Fields of a channel that sends to this receiver. */
  readonly channel: ChannelFields
  /** Arrivals of alerts, one for each message, whatever the message contains. */
  readonly arrivals: readonly Arrival[]
  readonly faults: readonly string[]
  /** Returns the accepted alerts about a check or heartbeat. A repeated message counts once. */
  takenAbout(guid: string): readonly Arrival[]
}

/** Kind of channel: its fields, how to read its messages, and the body of the response that accepts one. */
export interface Format {
  channel(url: string): Omit<ChannelFields, 'name'> & { kind: string }
  read(request: IncomingMessage, body: string): { webhook_id: string; alerts: readonly ReadAlert[] }
  answer: string
}

export interface ReceiverPlan {
  name: string
  dice: Dice
  /** Whether the receiver fails at times. It fails at most once for each message. */
  isMoody?: boolean
  /** Kind of channel. Absent if the receiver accepts signed webhooks. */
  format?: Format
}

const MOODS = ['500', '500', '500', 'hung up', 'hung up', 'accepted in silence', 'no response'] as const
const BAD_PERCENT = 25
const THINKS_MS = 300

export async function openReceiver(plan: ReceiverPlan, undo: Undo): Promise<Receiver> {
  const { name, dice, isMoody, format = webhooks() } = plan
  const { read, answer: said } = format
  const [arrivals, faults]: [Arrival[], string[]] = [[], []]
  const taken = new Map<string, Arrival[]>()
  const [seen, accepted] = [new Set<string>(), new Set<string>()]
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request)
    const { webhook_id, alerts } = read(request, body)
    const isBad = isMoody && !seen.has(webhook_id) && dice.below(100) < BAD_PERCENT
    seen.add(webhook_id)
    const answer: Arrival['answer'] = isBad ? dice.one(MOODS) : 'accepted'
    const message = { at: Date.now(), webhook_id, body, answer, sender: senderAt(request.socket.remoteAddress) }
    const all = alerts.map((alert): Arrival => ({ ...alert, ...message }))
    arrivals.push(...all.slice(0, 1))
    if (answer === 'accepted' && !accepted.has(webhook_id)) {
      accepted.add(webhook_id)
      for (const alert of all) taken.set(alert.about, [...(taken.get(alert.about) ?? []), alert])
    }
    await pause(dice.below(THINKS_MS))
    if (answer === 'accepted') response.writeHead(said === '' ? 204 : 200).end(said)
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
  const url = `http://127.0.0.1:${await listen(server, undo)}/${newGuid(systemRandom)}`
  return {
    name,
    channel: { name, ...format.channel(url) },
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

function webhooks(): Format {
  const webhook_secret = `whsec_${Buffer.from(systemRandom(32)).toString('base64')}`
  const webhook = new Webhook(webhook_secret)
  return {
    channel: (webhook_url) => ({ kind: 'webhook', webhook_url, webhook_secret }),
    answer: '',
    read: ({ headers }, body) => {
      const { type, data } = webhook.verify(body, headers as Record<string, string>) as WebhookBody
      const { check, heartbeat, incident_id = '', since = '', ended_at } = data
      const about = (check ?? heartbeat)?.guid ?? ''
      const ended = ended_at === undefined ? {} : { ended_at: Date.parse(ended_at) }
      const alert = { type, about, incident_id, since: Date.parse(since), ...ended }
      return { webhook_id: String(headers['webhook-id']), alerts: [alert] }
    },
  }
}

/**
 * Returns the format of messages to a Matrix room. The path of a request contains the id of the message. If a message has several
 * alerts, each is a numbered line with the name of its subject.
 */
export function matrixFormat(subjects: readonly { name: string; guid: string }[]): Format {
  return {
    channel: (url) => ({
      ...{ kind: 'matrix', matrix_url: new URL('/', url).href, matrix_room: '!alerts:example.org', matrix_token: 't' },
    }),
    answer: JSON.stringify({ event_id: '$accepted' }),
    read: ({ url = '' }, body) => {
      const lines = (JSON.parse(body) as { body: string }).body.split('\n')
      const numbered = lines.filter((line) => /^\d+\. /.test(line))
      const alerts = (numbered.length > 0 ? numbered : lines.slice(0, 1)).map((line): ReadAlert => {
        const [, word, name = ''] = /(Down|Recovered): (\w+ \d+)/.exec(line) ?? []
        const about = subjects.find((subject) => subject.name === name)?.guid
        if (about === undefined) throw new Error(`no alert about a known subject: ${line}`)
        return { type: `${name.startsWith('job') ? 'heartbeat' : 'check'}.${word === 'Down' ? 'down' : 'up'}`, about }
      })
      return { webhook_id: decodeURIComponent(url.split('/').at(-1) ?? ''), alerts }
    },
  }
}
