// Lists what happened in an incident, in the order of time. Pure: pages and the Markdown export show the same entries.
import { failureWords } from '@dogwatch/channels/failure-words'
import { count, duration, list } from '@dogwatch/channels/wording'
import type { ToldDelivery, ToldEvent, WaitingAlert } from '@dogwatch/store/incidents/incident'
import { actorWords } from '../audit/sentences.ts'
import { heldWords, verdictWords } from './cause.ts'
import type { IncidentInDetail } from './inspect.ts'

/** Tone of an entry, in this order: failure, recovery, warning, alert, act of a person. */
export type Tone = 'bad' | 'good' | 'warn' | 'told' | 'said'

export interface TimelineEntry {
  at: string
  tone: Tone
  /** Event in one sentence, without a full stop. */
  title: string
  /** Details, one per line. */
  lines: readonly string[]
  /** Whether the entry is still to come. */
  isPlanned?: true
  /** Note of a member, which its author may delete. */
  note?: { note_id: number; author_id: number; body: string }
}

const ENDS = {
  recovered: 'Recovered',
  threshold: 'Resolved: no longer down under the current settings',
  disabled: 'Resolved: paused',
  deleted: 'Resolved: deleted',
} as const

const ALERTS = new Map(
  Object.entries({
    down: 'Down alert',
    reminder: 'Reminder',
    acknowledged: 'Acknowledgement alert',
    up: 'Recovery alert',
    flapping: 'Flapping alert',
    settled: 'Settled alert',
    closed: 'External incident closed',
  }),
)

const DEEDS = new Map(
  Object.entries({
    mute: 'muted alerts',
    unmute: 'unmuted alerts',
    unacknowledge: 'unacknowledged the incident',
    assign: 'assigned monitors',
    unassign: 'removed monitors',
    rotate: 'replaced the ping URL',
    edit: 'edited the settings',
    pause: 'paused monitoring',
    resume: 'resumed monitoring',
    wipe: 'made the definition private',
    run: 'ran the check',
  }),
)

/** Returns the entries, oldest first. Planned entries come last. */
export function timelineOf(view: IncidentInDetail): TimelineEntry[] {
  const entries = [
    ...beginnings(view),
    ...view.degraded.flatMap(degradedEntries),
    ...view.told.flatMap(alertEntries),
    ...view.deeds.map(
      ({ created_at, actor, impersonator, action }): TimelineEntry => ({
        at: created_at,
        tone: 'said',
        title: `${impersonator === null ? actorWords(actor) : `${impersonator} as ${actor}`} ${deedWords(action)}`,
        lines: [],
      }),
    ),
    ...view.notes.map(
      ({ created_at, author, edited_at, ...note }): TimelineEntry => ({
        at: created_at,
        tone: 'said',
        title: `Note by ${author}${edited_at === null ? '' : ' (edited)'}`,
        lines: [],
        note,
      }),
    ),
    ...endings(view),
  ]
  // Sorting keeps the order of entries with the same time.
  return [...entries.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)), ...view.waiting.map(waitingEntry)]
}

function beginnings({ incident, failure, witnesses }: IncidentInDetail): TimelineEntry[] {
  const { kind, began_at, verdict } = incident
  if (kind === 'heartbeat') return [{ at: began_at, tone: 'bad', title: 'Down', lines: [] }]
  const failing = witnesses.filter(({ failed_at }) => failed_at !== null)
  const first = failing[0]
  const by =
    failure === undefined ? '' : ` from ${failure.monitor_name === '' ? failure.monitor_id : failure.monitor_name}`
  const at = first?.failed_at ?? began_at
  const turned_at = verdict?.turned_at ?? began_at
  const why = verdictWords(verdict, began_at)
  return [
    {
      at,
      tone: 'warn',
      title: `First failure${by}`,
      lines: failure?.error == null ? [] : [failureWords(failure.error)],
    },
    ...failing.slice(1).map((one): TimelineEntry => {
      return { at: one.failed_at ?? at, tone: 'warn', title: `Also failing from ${nameOf(one)}`, lines: [] }
    }),
    { at: turned_at < at ? at : turned_at, tone: 'bad', title: 'Down', lines: why === '' ? [] : [`Trigger: ${why}`] },
  ]
}

function nameOf({ name, monitor_id }: { name: string; monitor_id: string }): string {
  return name.trim() === '' ? monitor_id : name
}

function degradedEntries({ began_at, ended_at, reason }: IncidentInDetail['degraded'][number]): TimelineEntry[] {
  return [
    { at: began_at, tone: 'warn', title: 'Degraded', lines: [reason] },
    ...(ended_at === null ? [] : [{ at: ended_at, tone: 'good' as const, title: 'No longer degraded', lines: [] }]),
  ]
}

/** Returns an entry for the act of a person that caused the event, and one for the alert and its receivers. */
function alertEntries(event: ToldEvent): TimelineEntry[] {
  const { type, created_at, acknowledged_by, deliveries } = event
  const what = type.split('.')[1] ?? type
  const done: TimelineEntry[] =
    what === 'acknowledged' && acknowledged_by !== null
      ? [{ at: created_at, tone: 'said', title: `Acknowledged by ${acknowledged_by}`, lines: [] }]
      : []
  if (deliveries.length === 0) return done
  const number = event.reminder === null ? '' : ` ${event.reminder}`
  const alert = `${ALERTS.get(what) ?? what}${number}`
  return [
    ...done,
    {
      at: created_at,
      tone: 'told',
      title: `${alert} ${outcomeWords(deliveries)}`,
      lines: deliveries.map(deliveryWords),
    },
  ]
}

/**
 * Returns the outcome of an alert in words, such as `delivered to Ops, On call`, or how many of the channels the alert has
 * reached.
 */
function outcomeWords(deliveries: readonly ToldDelivery[]): string {
  const reached = deliveries.filter(({ state }) => state === 'delivered' || state === 'summarised')
  if (reached.length === deliveries.length)
    return `delivered to ${list(
      deliveries.map(({ channel }) => channel.name),
      5,
    )}`
  return reached.length === 0
    ? `for ${list(
        deliveries.map(({ channel }) => channel.name),
        5,
      )}`
    : `delivered to ${reached.length} of ${count(deliveries.length, 'channel')}`
}

/** Returns the outcome at one channel: `Ops: delivered after 2 attempts`. Omits the number of attempts if it is less than two. */
function deliveryWords(delivery: Omit<ToldDelivery, 'attempts'> & { attempts?: number }): string {
  const { channel, state, attempts = 0, last_error } = delivery
  const error = last_error === null || last_error === '' ? '' : `: ${last_error}`
  const tried = attempts > 1 ? ` after ${count(attempts, 'attempt')}` : ''
  const words: Readonly<Record<ToldDelivery['state'], string>> = {
    delivered: `delivered${tried}`,
    failed: `not delivered${tried}${error}`,
    pending: attempts === 0 ? 'being sent' : `failed, retrying${error}`,
    superseded: 'cancelled: replaced by a newer alert',
    summarised: 'sent in a summary',
    unconfirmed: 'waiting for the recipient to confirm the address',
  }
  return `${channel.name}: ${words[state]}`
}

function waitingEntry({ type, channel, step, due_at, held_by }: WaitingAlert): TimelineEntry {
  const what = ALERTS.get(type.split('.')[1] ?? '') ?? type
  return {
    at: due_at,
    tone: 'told',
    title: `${what} to ${channel.name} scheduled: sent ${heldWords(held_by)}`,
    lines: step > 0 ? [`Escalation step ${step + 1}`] : [],
    isPlanned: true,
  }
}

function endings({ incident: { began_at, ended_at, end_reason } }: IncidentInDetail): TimelineEntry[] {
  if (ended_at === null || end_reason === null) return []
  const sec = (Date.parse(ended_at) - Date.parse(began_at)) / 1000
  return [{ at: ended_at, tone: 'good', title: ENDS[end_reason], lines: [`Down for ${duration(sec)}`] }]
}

function deedWords(action: string): string {
  const [thing = '', verb = action] = action.split('.')
  if (verb === 'create') return `created the ${thing}`
  return DEEDS.get(verb) ?? `recorded “${action.replaceAll(/[._]/g, ' ')}”`
}
