// Renders the parts that the pages of monitors share.
import type { readMonitorOptions } from '@dogwatch/domain/checks/inspect'
import { monitorState, type ShownMonitor } from '@dogwatch/domain/monitors/read'
import { isClockOff } from '@dogwatch/domain/results/ran-at'
import { StateMark } from '../../design/badge.tsx'
import { Since, span } from '../../parts/time.tsx'

/** Returns the monitor's name, or its ID if it has none. */
export function nameOf({ name, id }: { name: string; id: string }): string {
  return name === '' ? id : name
}

type MonitorOption = Awaited<ReturnType<typeof readMonitorOptions>>['options'][number]

/** Returns the monitor's name and where it is: `fra-1 (Frankfurt, DE, shared)`. */
export function nameAndCity(monitor: MonitorOption): string {
  return `${nameOf(monitor)} (${monitor.city}, ${monitor.country}${monitor.is_shared ? ', shared' : ''})`
}

export function placeOf({ region, country, city }: { region: string; country: string; city: string }): string {
  return region === country ? `${city}, ${country}` : `${city}, ${country} (${region})`
}

export function MonitorMark({ monitor }: { monitor: ShownMonitor }) {
  const state = monitorState(monitor)
  return (
    <>
      <StateMark state={state} />
      {state === 'offline' && monitor.offline_since !== null ? [' for ', <Since at={monitor.offline_since} />] : null}
      {state === 'disabled' && !monitor.platform_enabled ? ' by the operator' : null}
      {state === 'reset' && !monitor.enabled ? ', disabled' : null}
    </>
  )
}

/** Returns how far a monitor's clock is off, such as `9 min ahead`, or undefined if it is right or unknown. */
export function clockFault({ clock_offset_ms }: Pick<ShownMonitor, 'clock_offset_ms'>): string | undefined {
  if (!isClockOff(clock_offset_ms)) return undefined
  const by = span(Math.round(Math.abs(clock_offset_ms) / 1000))
  return `${by} ${clock_offset_ms > 0 ? 'ahead' : 'behind'}`
}
