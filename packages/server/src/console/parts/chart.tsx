// Response times, drawn on the server. A script redraws the chart with uPlot, for zooming and reading values.
import type { VNode } from 'preact'
import { CHART_SCRIPT_PATH, UPLOT_SCRIPT_PATH, UPLOT_STYLE_PATH } from '../assets.ts'

export interface Point {
  at: string
  runs: number
  failures: number
  latency_avg_ms: number | null
  latency_max_ms: number | null
}

export interface ChartProps {
  points: readonly Point[]
  from: Date
  until: Date
  /** No point is to be expected after it. */
  now: Date
  /** How long a point stands for. */
  step_sec: number
  /** Points further apart than this are not connected: nothing is known in between. */
  gap_sec: number
  label: string
}

interface Spot {
  at_sec: number
  failures: number
  avg: number | null
  max: number | null
}

const WIDTH = 800
const HEIGHT = 160
/** Below the lines: marks of failures. */
const FOOT = 12

export function LatencyChart(props: ChartProps): VNode {
  const { points, from, until, gap_sec, label } = props
  const spots = withGaps(points, gap_sec)
  const gaps = gapsOf(props)
  const top = Math.max(10, ...spots.map(({ max }) => max ?? 0))
  const [begin, end] = [from.getTime() / 1000, until.getTime() / 1000]
  const x = (sec: number) => round(((sec - begin) / (end - begin)) * WIDTH)
  const y = (ms: number) => round((1 - ms / top) * HEIGHT)
  return (
    <figure
      class="chart"
      data-at={spots.map(({ at_sec }) => at_sec).join()}
      data-avg={spots.map(({ avg }) => avg).join()}
      data-max={spots.map(({ max }) => max).join()}
      data-failures={spots.map(({ failures }) => failures).join()}
      data-from={begin}
      data-until={end}
      data-gaps={gaps.flat().join()}
    >
      <figcaption>
        {label}{' '}
        <span class="hint">
          Line: average of the successes. Dots: the slowest. Marks at the foot: failures. Grey: not watched.
        </span>
      </figcaption>
      <p class="hint">{top} ms</p>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT + FOOT}`} preserveAspectRatio="none" role="img" aria-label={label}>
        {gaps.map(([since, till]) => (
          <rect key={since} class="gap" x={x(since)} y="0" width={round(x(till) - x(since))} height={HEIGHT + FOOT} />
        ))}
        {segments(spots).map((segment) => (
          <polyline
            key={segment[0]?.at_sec}
            class="avg"
            points={segment.map(({ at_sec, avg }) => `${x(at_sec)},${y(avg ?? 0)}`).join(' ')}
          />
        ))}
        <path
          class="max"
          d={spots.map(({ at_sec, max }) => (max === null ? '' : `M${x(at_sec)} ${y(max)}h0`)).join('')}
        />
        <path
          class="failed"
          d={spots
            .map(({ at_sec, failures }) => (failures > 0 ? `M${x(at_sec)} ${HEIGHT + 2}v${FOOT - 2}` : ''))
            .join('')}
        />
      </svg>
      <p class="ends hint">
        <span>{dayOf(from)}</span> <span>{dayOf(until)} UTC</span>
      </p>
      <link rel="stylesheet" href={UPLOT_STYLE_PATH} />
      <script src={UPLOT_SCRIPT_PATH} defer />
      <script src={CHART_SCRIPT_PATH} defer />
    </figure>
  )
}

/** The points, with an empty spot wherever two are too far apart to be connected. */
export function withGaps(points: readonly Point[], gap_sec: number): Spot[] {
  const spots: Spot[] = []
  for (const { at, failures, latency_avg_ms: avg, latency_max_ms: max } of points) {
    const at_sec = Date.parse(at) / 1000
    const last = spots.at(-1)
    if (last && at_sec - last.at_sec > gap_sec)
      spots.push({ at_sec: last.at_sec + 1, failures: 0, avg: null, max: null })
    spots.push({ at_sec, failures, avg, max })
  }
  return spots
}

/**
 * The times of the chart, in seconds, of which nothing is known: before the first point, between points, after the
 * last.
 */
export function gapsOf({ points, from, until, now, step_sec, gap_sec }: ChartProps): [since: number, until: number][] {
  const end = Math.min(until.getTime(), now.getTime()) / 1000
  const gaps: [number, number][] = []
  let known_until = from.getTime() / 1000
  for (const at of [...points.map((point) => Date.parse(point.at) / 1000), end]) {
    if (at - known_until > gap_sec - step_sec) gaps.push([known_until, at])
    known_until = Math.max(known_until, at + step_sec)
  }
  return gaps
}

/** Runs of spots that have an average. A single one is drawn twice to be visible. */
function segments(spots: readonly Spot[]): Spot[][] {
  const found: Spot[][] = [[]]
  for (const spot of spots) {
    if (spot.avg === null) found.push([])
    else found.at(-1)?.push(spot)
  }
  return found
    .filter((segment) => segment.length > 0)
    .map((segment) =>
      segment.length === 1 ? [...segment, { ...segment[0], at_sec: (segment[0]?.at_sec ?? 0) + 1 } as Spot] : segment,
    )
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 16).replace('T', ' ')
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
