// Shows which channels would receive an alert, and when, by the rule that decides about real alerts.
import { listChannels } from '@dogwatch/store/alerting/channels'
import type { Trx } from '@dogwatch/store/database'
import { listNamed, type NamedSubject } from '@dogwatch/store/routing/subjects'
import type { Deps } from '../deps.ts'
import { DomainError, FieldError } from '../errors.ts'
import type { EventType } from '../events/event.ts'
import type { RoutingDecision } from './decide.ts'
import type { Hold } from './hold.ts'
import { NATURES } from './natures.ts'
import { answersFor, type RoutedEvent, type Routing, readRouting } from './routing.ts'

export type { NamedSubject }

/** Alert to preview. */
export interface Question {
  type: EventType
  /** Subject of the alert. Undefined for the organisation's monitors. */
  subject: Pick<NamedSubject, 'kind' | 'guid'> | undefined
  at: Date
}

export type PreviewedChannel = RoutingDecision & { name: string }

export interface RoutingPreview {
  /** Channels that would be notified, the earliest first, and then the others. */
  answers: PreviewedChannel[]
  /** Names of the disabled channels, which receive nothing. */
  disabled: string[]
  /** Hold of the alert, in words and with its end, which is null if unknown. */
  hold: Pick<Hold, 'words' | 'until'> | undefined
}

/** Returns all subjects that a preview can be about, in the order of names. */
export async function readSubjects({ database }: Pick<Deps, 'database'>, org_id: number): Promise<NamedSubject[]> {
  return listNamed(database.people, org_id)
}

/** Returns the types of events for a kind of subject, or for monitors if it is undefined. */
export function typesOf(kind: 'check' | 'heartbeat' | undefined): EventType[] {
  const prefix = `${kind ?? 'monitor'}.`
  return (Object.keys(NATURES) as EventType[]).filter((type) => NATURES[type] && type.startsWith(prefix))
}

/**
 * Previews an alert with the current routes and what would hold it at that time. A reminder or recovery assumes that the problem
 * was reported just before.
 */
export async function previewAlert(
  deps: Deps,
  org_id: number,
  { type, subject, at }: Question,
): Promise<RoutingPreview> {
  if (!typesOf(subject?.kind).includes(type))
    throw new FieldError('invalid', 'event', 'must be a type of event that routes can send')
  return deps.database.people.transaction().execute(async (trx) => {
    const channels = await listChannels(trx, org_id)
    const known =
      subject && (await listNamed(trx, org_id)).find(({ kind, guid }) => kind === subject.kind && guid === subject.guid)
    if (subject && !known) throw new DomainError('missing', 'no check or heartbeat with that guid')
    const channel_ids = channels.filter(({ enabled }) => enabled).map(({ id }) => id)
    const ask = (asked: EventType, audience?: ReadonlySet<number>) =>
      answersAt(trx, deps, { org_id, channel_ids, at }, eventOf(asked, known), audience)
    const first = await ask(type)
    const ends = NATURES[type]?.ends ?? (hasAudience(type) ? [type.replace(/\.\w+$/, '.down') as EventType] : [])
    const { answers, hold } = ends[0] ? await ask(type, told((await ask(ends[0])).answers)) : first
    const nameOf = new Map(channels.map(({ id, name }) => [id, name]))
    return {
      answers: answers
        .map((answer) => ({ ...answer, name: nameOf.get(answer.channel_id) ?? '' }))
        .toSorted((a, b) => orderOf(a) - orderOf(b)),
      disabled: channels.filter(({ enabled }) => !enabled).map(({ name }) => name),
      hold,
    }
  })
}

async function answersAt(
  trx: Trx,
  deps: Deps,
  { org_id, channel_ids, at }: Pick<Routing, 'org_id' | 'channel_ids'> & { at: Date },
  event: RoutedEvent,
  audience: ReadonlySet<number> | undefined,
): Promise<Pick<RoutingPreview, 'hold'> & { answers: RoutingDecision[] }> {
  const routing = await readRouting(trx, deps, { org_id, channel_ids, now: at }, [event])
  const known = { at, isAcknowledged: false, told: new Map<number, Date>(), audience }
  return { answers: answersFor(event, routing, known), hold: routing.holds.get(event.event_id) }
}

function told(answers: readonly RoutingDecision[]): ReadonlySet<number> {
  return new Set(answers.flatMap(({ kind, channel_id }) => (kind === 'never' ? [] : [channel_id])))
}

/** Returns the event that would be raised, with the fields that routing needs. */
function eventOf(type: EventType, subject: NamedSubject | undefined): RoutedEvent {
  const event_id = 'preview'
  if (!subject) return { event_id, type, subject: 'monitors', data: {} }
  const { kind, guid, id } = subject
  const data = kind === 'heartbeat' ? { heartbeat: { guid } } : { check: { guid } }
  const hasIncident = NATURES[type]?.isAboutDown
  return { event_id, type, subject: `${kind}:${id}`, data, ...(hasIncident && { incident_id: 'preview' }) }
}

function orderOf(answer: RoutingDecision): number {
  if (answer.kind === 'now') return 0
  if (answer.kind === 'never') return Number.MAX_VALUE
  return answer.until?.getTime() ?? Number.MAX_SAFE_INTEGER
}

/** Whether an event goes only to channels that were notified of the problem. */
function hasAudience(type: EventType): boolean {
  const role = NATURES[type]?.role
  return role === 'reminder' || role === 'recovery'
}
