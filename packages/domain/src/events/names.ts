// Names each event for people: on pages, in logs of deliveries and in the alert preview.
import type { EventType } from './event.ts'

export const EVENT_NAMES: Readonly<Record<EventType | 'channel.confirm', string>> = {
  'check.down': 'Check: down',
  'check.reminder': 'Check: still down (reminder)',
  'check.acknowledged': 'Check: acknowledged',
  'check.up': 'Check: recovered',
  'check.degraded': 'Check: degraded',
  'check.undegraded': 'Check: degradation resolved',
  'check.certificate': 'Check: certificate expires soon',
  'check.renewed': 'Check: certificate renewed',
  'check.unmonitored': 'Check: not monitored',
  'check.monitored': 'Check: monitoring resumed',
  'check.flapping': 'Check: flapping',
  'check.settled': 'Check: stopped flapping',
  'check.closed': 'Check: external incident closed',
  'heartbeat.closed': 'Heartbeat: external incident closed',
  'heartbeat.down': 'Heartbeat: down',
  'heartbeat.reminder': 'Heartbeat: still down (reminder)',
  'heartbeat.acknowledged': 'Heartbeat: acknowledged',
  'heartbeat.up': 'Heartbeat: recovered',
  'monitor.offline': 'Monitor: offline',
  'monitor.online': 'Monitor: back online',
  'monitor.failing': 'Monitor: failing (checks fail on this monitor only)',
  'monitor.settled': 'Monitor: recovered',
  'channel.test': 'Channel: test message',
  'alerts.summary': 'Summary of alerts',
  'channel.confirm': 'Channel: request to confirm the address',
}

/** Names an event in words. Deliveries of other versions can have a type that is unknown here. */
export function eventName(type: string): string {
  return Object.hasOwn(EVENT_NAMES, type)
    ? EVENT_NAMES[type as keyof typeof EVENT_NAMES]
    : type.replaceAll(/[._]/g, ' ')
}
