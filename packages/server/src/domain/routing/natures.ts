// What each type of event is to routing. A new type of event needs a row here.
import type { Urgency } from '../../channels/channel.ts'
import type { EventType } from '../events/event.ts'

/** How urgent an alert is, the most urgent first. Kinds of channels map it to their own priorities. */
export const SEVERITIES = ['critical', 'warning', 'info'] as const satisfies readonly Urgency[]
export type Severity = Urgency

/** What people pick from for a route, in the order in which it is shown. */
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
  /** It stands for this as well: whoever wants to hear of that hears of it. */
  also?: Group
  /**
   * `trouble` begins something: it can wait for a delay, and escalates when it has an incident. `recovery` ends it, or says that somebody takes
   * care of it, and goes to those that were told. `reminder` repeats it, and is dropped rather than sent late.
   */
  role: 'trouble' | 'recovery' | 'reminder'
  severity: Severity
  /** About something that is down. Quiet hours let it pass unless they hold that as well. */
  isAboutDown: boolean
  /** Of a recovery: the trouble that it ends. */
  ends?: readonly EventType[]
  /** Types of earlier events about the same check. Their channels receive this: of a recovery only these, of trouble only these by a route with a delay. */
  follows?: readonly EventType[]
}

const down = (group: Group): Nature => ({ group, role: 'trouble', severity: 'critical', isAboutDown: true })
const reminder: Nature = { group: 'reminder', role: 'reminder', severity: 'critical', isAboutDown: true }
/** Somebody takes care: for those who were told, like a recovery, but it ends nothing. */
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

/** Undefined: never routed, because it is written for one channel. */
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
  // It is told in place of a DOWN, and `check.settled` in place of the UP.
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
  // Written for those that keep incidents.
  'check.closed': undefined,
  'heartbeat.closed': undefined,
  'heartbeat.down': down('late'),
  'heartbeat.reminder': reminder,
  'heartbeat.acknowledged': acknowledged,
  'heartbeat.up': up('heartbeat.down', 'heartbeat.acknowledged'),
  'monitor.offline': warning('monitor_offline'),
  'monitor.online': over('monitor_offline', 'monitor.offline'),
  // It is told in place of many a DOWN.
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

/** The nature of an event that may have been written by another build. */
export function natureOf(type: string): Nature | undefined {
  return Object.hasOwn(NATURES, type) ? NATURES[type as EventType] : undefined
}

/** The types of events that go to those who were told of something. */
export const RECOVERIES: readonly string[] = Object.entries(NATURES).flatMap(([type, nature]) =>
  nature?.role === 'recovery' ? [type] : [],
)
