// What a channel does: it takes one message to one destination, and says what came of it.

/** What people typed for a channel, by the names of the fields of its kind. */
export type Destination<Name extends string = string> = Readonly<Record<Name, string>>

export interface Fact {
  label: string
  value: string
}

/** For kinds that have priorities of their own. */
export type Urgency = 'critical' | 'warning' | 'info'

/** An event in words. Every text is one line; none is escaped. */
export interface Message {
  severity: 'down' | 'reminder' | 'warning' | 'up' | 'info'
  /** How urgent a route says it is. Left out: by `severity`. */
  urgency?: Urgency
  title: string
  lines: readonly string[]
  facts: readonly Fact[]
  /** The link to the page with details. */
  link: string
  /** The link by which whoever reads it can acknowledge or mute the incident. Never for a log. */
  acknowledge?: string
  /** Links by which the incidents of a group can be acknowledged, numbered like its lines. Absent unless the message is a group. */
  acknowledgements?: readonly Link[]
}

export interface Link {
  /** A text of ours that needs no escaping. */
  label: string
  url: string
}

type Linked = Pick<Message, 'acknowledgements'> & { acknowledge?: string | undefined }

/** The links of a message, for kinds that can show several. */
export function linksOf(message: Pick<Message, 'link'> & Linked): readonly Link[] {
  return [{ label: 'Open in Dogwatch', url: message.link }, ...acknowledgeLinks(message)]
}

/** Returns the links by which the incidents of a message can be acknowledged. */
export function acknowledgeLinks({ acknowledge, acknowledgements = [] }: Linked): readonly Link[] {
  return acknowledge === undefined ? acknowledgements : [{ label: ACKNOWLEDGE, url: acknowledge }, ...acknowledgements]
}

/** The label of the link by which an incident is acknowledged. */
export const ACKNOWLEDGE = 'Acknowledge or mute'

/** Returns a line of plain text for each link by which an incident can be acknowledged. */
export function acknowledgeLines(message: Linked): readonly string[] {
  return acknowledgeLinks(message).map(({ label, url }) => `${label}: ${url}`)
}

/** Returns a line of plain text for each link of a message. */
export function linkLines(message: Pick<Message, 'link'> & Linked): readonly string[] {
  return linksOf(message).map(({ label, url }) => `${label}: ${url}`)
}

const LEVELS: Readonly<Record<Urgency, Message['severity']>> = { critical: 'down', warning: 'warning', info: 'info' }

/** By what a kind chooses its priority: as the route says, or else by what the message is about. Colours go by `severity` alone. */
export function levelOf({
  urgency,
  severity,
}: Pick<Message, 'severity'> & { urgency?: Urgency | undefined }): Message['severity'] {
  return urgency === undefined ? severity : LEVELS[urgency]
}

/** One delivery, as it is sent. */
export interface Dispatch<Name extends string = string> {
  /** The same each time it is tried: by it a receiver knows what it has already. */
  webhook_id: string
  /** Whose channel it is: organisations share what sending costs this server. Left out: nobody's. */
  org_id?: number
  /** When this attempt is made. */
  sent_at: Date
  type: string
  /** When it happened. */
  timestamp: string
  data: unknown
  /** The same in words. */
  message: Message
  /** All fields of the kind are there; what was left out is ''. */
  destination: Destination<Name>
}

export type Outcome =
  | { kind: 'delivered'; status?: number }
  | {
      kind: 'retry'
      reason: string
      /** Why, for the operator's log alone: the organisation must not learn it, nor how long it took. */
      for_operator?: string
      status?: number
      retry_after_sec?: number
      /** The trouble is ours for sure, and no attempt is counted. */
      is_ours?: true
      /** The host that could not be reached; whose trouble that is, others may tell. */
      unreached?: string
    }
  /** It could not be tried, and nobody but the operator can help. */
  | { kind: 'wait'; reason: string }
  /** The receiver refused it, and would always: it is not tried again. The channel stays as it is. */
  | { kind: 'refused'; reason: string; status: number }
  /** It is of no use to try. `status`: the receiver itself said so for good. */
  | { kind: 'gone'; reason: string; status?: number }

/** Never rejects: what went wrong is an outcome, with a reason that holds no secret. */
export interface Channel<Name extends string = string> {
  send(dispatch: Dispatch<Name>): Promise<Outcome>
  /** How many it sends at once: more would wait in a queue of its own, within their time. Left out: any number. */
  readonly at_once?: number
  close?(): void
}

/** How long one attempt may take, all in all. */
export const SEND_MS = 15_000
