// Defines how routing treats each type of event. A new type of event needs a row here.
import type { Urgency } from '@dogwatch/channels/channel'
import type { EventType } from '../events/event.ts'

/** Severities of alerts, the most urgent first. Kinds of channels map them to their own priorities. */
export const SEVERITIES = ['critical', 'warning', 'info'] as const satisfies readonly Urgency[]
export type Severity = Urgency

/** Groups of alerts that people select for a route, in the order of display. */
export const GROUPS = {
  down: 'Check down',
  late: 'Heartbeat late or failed',
  up: 'Recovery',
  reminder: 'Reminder',
  degraded: 'Degraded',
  certificate: 'Certificate',
  unmonitored: 'Not monitored',
  monitor_offline: 'Monitor offline or failing',
  flapping: 'Flapping',
  report: 'Report',
} as const
export type Group = keyof typeof GROUPS

export interface Nature {
  group: Group
  /** Additional group whose routes also match this event. */
  also?: Group
  /**
   * Role of the event. `trouble` begins a problem. It can wait for a delay, and escalates if it has an incident. `recovery` ends
   * or acknowledges a problem, for channels that were notified of it. `reminder` repeats it, and is dropped if late.
   */
  role: 'trouble' | 'recovery' | 'reminder'
  severity: Severity
  /**
   * Whether the event reports something that is down. Quiet hours let such alerts pass unless they also hold alerts about that.
   */
  isAboutDown: boolean
  /** Types of problems that a recovery ends. */
  ends?: readonly EventType[]
  /**
   * Types of earlier events about the same check that this one follows. A recovery goes only to channels that received one of
   * them, and so does a problem if the route has a delay.
   */
  follows?: readonly EventType[]
}

const down = (group: Group): Nature => ({ group, role: 'trouble', severity: 'critical', isAboutDown: true })
const reminder: Nature = { group: 'reminder', role: 'reminder', severity: 'critical', isAboutDown: true }
/** Nature of acknowledgements. They go to channels that were notified of the problem, like a recovery, but end nothing. */
const acknowledged: Nature = { group: 'reminder', role: 'recovery', severity: 'info', isAboutDown: true }
const up = (...ends: EventType[]): Nature => ({
  group: 'up',
  role: 'recovery',
  severity: 'info',
  isAboutDown: true,
  ends,
})
const warning = (group: Group): Nature => ({ group, role: 'trouble', severity: 'warning', isAboutDown: false })
const over = (group: Group, ...ends: EventType[]): Nature => {
  return { group, role: 'recovery', severity: 'info', isAboutDown: false, ends }
}

/** Nature of each type of event. Undefined for types that are never routed, because they are for one channel. */
export const NATURES: Readonly<Record<EventType, Nature | undefined>> = {
  'check.down': down('down'),
  'check.reminder': reminder,
  'check.acknowledged': acknowledged,
  'check.up': up('check.down', 'check.acknowledged'),
  'check.degraded': warning('degraded'),
  'check.undegraded': over('degraded', 'check.degraded'),
  'check.certificate': warning('certificate'),
  'check.renewed': over('certificate', 'check.certificate'),
  'check.unmonitored': warning('unmonitored'),
  'check.monitored': over('unmonitored', 'check.unmonitored'),
  // Replaces a DOWN alert, as `check.settled` replaces the UP alert.
  'check.flapping': {
    group: 'flapping',
    also: 'down',
    role: 'trouble',
    severity: 'critical',
    isAboutDown: true,
    follows: ['check.down'],
  },
  'check.settled': {
    group: 'flapping',
    also: 'up',
    role: 'recovery',
    severity: 'info',
    isAboutDown: true,
    ends: ['check.flapping'],
    follows: ['check.flapping'],
  },
  // Raised only for receivers that open and close incidents.
  'check.closed': undefined,
  'heartbeat.closed': undefined,
  'heartbeat.down': down('late'),
  'heartbeat.reminder': reminder,
  'heartbeat.acknowledged': acknowledged,
  'heartbeat.up': up('heartbeat.down', 'heartbeat.acknowledged'),
  'monitor.offline': warning('monitor_offline'),
  'monitor.online': over('monitor_offline', 'monitor.offline'),
  // Replaces many DOWN alerts.
  'monitor.failing': {
    group: 'monitor_offline',
    also: 'down',
    role: 'trouble',
    severity: 'critical',
    isAboutDown: true,
  },
  'monitor.settled': {
    group: 'monitor_offline',
    also: 'up',
    role: 'recovery',
    severity: 'info',
    isAboutDown: true,
    ends: ['monitor.failing'],
  },
  'channel.test': undefined,
  'alerts.summary': undefined,
}

/** Returns the nature of an event. Returns undefined if another version wrote it and its type is unknown here. */
export function natureOf(type: string): Nature | undefined {
  return Object.hasOwn(NATURES, type) ? NATURES[type as EventType] : undefined
}

/** Types of events that go only to channels that were notified of the problem. */
export const RECOVERIES: readonly string[] = Object.entries(NATURES).flatMap(([type, nature]) =>
  nature?.role === 'recovery' ? [type] : [],
)
