// Renders the history of a heartbeat: a bar of days, and the durations of its runs.
import { count } from '@dogwatch/channels/wording'
import type { DayOfHeartbeat, PingRow } from '@dogwatch/domain/heartbeats/read'
import { span } from '../../parts/time.tsx'

const CELLS: Readonly<Record<DayOfHeartbeat, string>> = { pinged: 'g', down: 'b', unknown: 'n' }

/** Renders a cell for each day. Cells differ by height as well as by colour, and a day without data is never green. */
export function DaysBar({ days }: { days: readonly DayOfHeartbeat[] }) {
  const number = (wanted: DayOfHeartbeat) => days.filter((day) => day === wanted).length
  const label = `Last ${count(days.length, 'day')}: ${number('pinged')} with pings, ${number('down')} down, ${number('unknown')} without data`
  return (
    <span class="bar" role="img" aria-label={label}>
      {days.map((day) => (
        <i class={CELLS[day]} />
      ))}
    </span>
  )
}

const WIDTH = 800
const HEIGHT = 120

/**
 * Renders the durations of the newest runs, the oldest on the left, on a scale from zero. Renders nothing if no run reported its
 * start.
 */
export function RunTimes({ pings }: { pings: readonly PingRow[] }) {
  const runs = pings.flatMap(({ kind, duration_ms }) => (duration_ms === null ? [] : [{ kind, duration_ms }]))
  if (runs.length === 0) return null
  const [longest, sorted] = [Math.max(1, ...runs.map(({ duration_ms }) => duration_ms)), runs.toReversed()]
  const median = runs.map(({ duration_ms }) => duration_ms).toSorted((a, b) => a - b)[Math.floor(runs.length / 2)] ?? 0
  const step = WIDTH / Math.max(20, runs.length)
  const label =
    runs.length === 1
      ? `Duration of the only run that reported its start: ${text(median)}`
      : `Duration of the latest ${runs.length} runs that reported their start: median ${text(median)}, longest ${text(longest)}`
  return (
    <figure class="runs">
      <figcaption>
        {label}. <span class="hint">Failed runs are red.</span>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
        {sorted.map(({ kind, duration_ms }, at) => {
          const height = Math.max(2, Math.round((duration_ms / longest) * HEIGHT))
          const box = { x: round(at * step), y: HEIGHT - height, width: round(step * 0.8), height }
          return <rect class={kind === 'beat' ? 'ok' : 'failed'} {...box} />
        })}
      </svg>
    </figure>
  )
}

function text(ms: number): string {
  return ms < 1000 ? `${ms} ms` : span(ms / 1000)
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
