// Defines what a channel does: it sends one message to one destination and reports the outcome.

/** Values that a user typed for a channel, by the names of the fields of its kind. */
export type Destination<Name extends string = string> = Readonly<Record<Name, string>>

export interface Fact {
  label: string
  value: string
}

/** Urgency of an alert, for kinds that have their own priorities. */
export type Urgency = 'critical' | 'warning' | 'info'

/** An event in words. Every text is one line, and none is escaped. */
export interface Message {
  severity: 'down' | 'reminder' | 'warning' | 'up' | 'info'
  /** Urgency that the route sets. By default, `severity` decides. */
  urgency?: Urgency
  title: string
  lines: readonly string[]
  facts: readonly Fact[]
  /** Link to the page with details. */
  link: string
  /**
   * Link that lets the reader of the message acknowledge or mute the incident. Must not appear in a log, such as that of a
   * syslog server.
   */
  acknowledge?: string
  /**
   * Links for readers to acknowledge the incidents of a group, numbered like the lines of the message. Absent unless the event is
   * a group.
   */
  acknowledgements?: readonly Link[]
}

export interface Link {
  /** Our own text, which needs no escaping. */
  label: string
  url: string
}

type AcknowledgeLinks = Pick<Message, 'acknowledgements'> & { acknowledge?: string | undefined }

/** Returns the links of a message, for kinds that can show several. */
export function linksOf(message: Pick<Message, 'link'> & AcknowledgeLinks): readonly Link[] {
  return [{ label: 'Open in Dogwatch', url: message.link }, ...acknowledgeLinks(message)]
}

/** Returns the acknowledge links of a message, one for each of its incidents. */
export function acknowledgeLinks({ acknowledge, acknowledgements = [] }: AcknowledgeLinks): readonly Link[] {
  return acknowledge === undefined ? acknowledgements : [{ label: ACKNOWLEDGE, url: acknowledge }, ...acknowledgements]
}

/** Label of the link that acknowledges or mutes an incident. */
export const ACKNOWLEDGE = 'Acknowledge or mute'

/** Returns a line of plain text for each acknowledge link of a message. */
export function acknowledgeLines(message: AcknowledgeLinks): readonly string[] {
  return acknowledgeLinks(message).map(({ label, url }) => `${label}: ${url}`)
}

/** Returns a line of plain text for each fact of a message. */
export function factLines({ facts }: Pick<Message, 'facts'>): readonly string[] {
  return facts.map(({ label, value }) => `${label}: ${value}`)
}

/** Returns a line of plain text for each link of a message. */
export function linkLines(message: Pick<Message, 'link'> & AcknowledgeLinks): readonly string[] {
  return linksOf(message).map(({ label, url }) => `${label}: ${url}`)
}

const LEVELS: Readonly<Record<Urgency, Message['severity']>> = { critical: 'down', warning: 'warning', info: 'info' }

/**
 * Returns the level that decides the priority: the urgency of the route, or else `severity`. Colours depend on `severity` alone.
 */
export function levelOf({
  urgency,
  severity,
}: Pick<Message, 'severity'> & { urgency?: Urgency | undefined }): Message['severity'] {
  return urgency === undefined ? severity : LEVELS[urgency]
}

/** One attempt of a delivery. */
export interface Dispatch<Name extends string = string> {
  /** Identifies the delivery. It is the same for every attempt, so that receivers can drop repeats. */
  webhook_id: string
  /**
   * Organisation that owns the channel. The work of this server for a message, such as rendering a template, is shared fairly
   * between organisations. Absent if no organisation owns the message.
   */
  org_id?: number
  /** Time of this attempt. */
  sent_at: Date
  type: string
  /** Time at which the event happened. */
  timestamp: string
  data: unknown
  /** The event as a human-readable message. */
  message: Message
  /** All fields of the kind. A field without a value is ''. */
  destination: Destination<Name>
}

export type Outcome =
  | { kind: 'delivered'; status?: number }
  | {
      kind: 'retry'
      reason: string
      /** Reason that only the operator's log shows. The organisation must not learn it, nor how long the attempt took. */
      for_operator?: string
      status?: number
      retry_after_sec?: number
      /** Whether the fault is certainly on our side. The attempt is then not counted. */
      is_ours?: true
      /** The host that could not be reached. Attempts to other hosts decide whose fault that is. */
      unreached?: string
    }
  /** The attempt could not be made, and only the operator can help. */
  | { kind: 'wait'; reason: string }
  /** The receiver refused this message permanently, so it is not sent again. The channel does not change. */
  | { kind: 'refused'; reason: string; status: number }
  /** Retrying is pointless. `status` is set if the receiver itself refused permanently. */
  | { kind: 'gone'; reason: string; status?: number }

/** Sends the messages of one kind of channel. Never rejects: a failure is an outcome, with a reason that contains no secret. */
export interface Channel<Name extends string = string> {
  send(dispatch: Dispatch<Name>): Promise<Outcome>
  /**
   * Maximum number of messages that the channel sends at the same time. Further ones would spend the time of their attempt in the
   * channel's own queue. Default: no limit.
   */
  readonly at_once?: number
  close?(): void
}

/** Maximum duration of one attempt, in milliseconds. */
export const SEND_MS = 15_000
