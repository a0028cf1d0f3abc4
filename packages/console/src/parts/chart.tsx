// Draws response times over a fixed range on the server: lines, and shades for times without data. A script redraws the chart
// with uPlot, for reading off values and zooming.
import type { Lines } from '@dogwatch/domain/checks/chart-lines'
import type { Segment } from '@dogwatch/domain/results/division'
import { CHART_SCRIPT_PATH, UPLOT_SCRIPT_PATH, UPLOT_STYLE_PATH } from '../assets.ts'
import { At, useTimes } from './time.tsx'

interface ChartProps {
  lines: Lines
  segments: readonly Segment[]
  from: Date
  until: Date
  step_sec: number
  /** Interval between the values of a line. */
  each_sec: number
  label: string
  /** Path, without its query, of the page that opens when a person marks a range with the mouse. */
  zoomPath: string
}

/** Properties that only a chart with lines has. */
type LineProps = 'step_sec' | 'each_sec' | 'zoomPath'

/** Value of a line: `null` where the line breaks, `undefined` where the line has no value but goes on. */
type Spot = number | null | undefined

/** Instants of a chart, in seconds, and the values of each line at them. */
interface Spots {
  at: number[]
  /** Number of runs at each instant. Undefined at instants that only break lines. */
  runs: (number | undefined)[]
  failures: (number | undefined)[]
  lines: Spot[][]
}

const WIDTH = 800
const HEIGHT = 180
/** Minimum height of a shade. It keeps a single failure, or a single unmonitored minute, visible. */
const LEAST = 6
/** Maximum number of missing values between two values of a line that the line still connects. */
const MOST_MISSING = 3
const TICKS = [0, 0.25, 0.5, 0.75, 1] as const

export function TimeChart(props: ChartProps) {
  const { lines, segments, from, until, step_sec, label, zoomPath } = props
  const { zone, hours } = useTimes()
  const spots = spotsOf(props)
  const top = niceTop(Math.max(10, ...lines.lines.flatMap(({ values }) => values.map((value) => value ?? 0))))
  const [begin, end] = [from.getTime(), until.getTime()]
  const x = (ms: number) => round(((ms - begin) / (end - begin)) * WIDTH)
  return (
    <figure
      class={`chart ${lines.kind}`}
      data-at={spots.at.join()}
      data-runs={spots.runs.join()}
      data-failures={spots.failures.join()}
      data-lines={spots.lines.map((values) => values.map((value) => (value === null ? 'x' : value)).join()).join(';')}
      data-labels={JSON.stringify(lines.lines.map((line) => line.label))}
      data-shades={segments.map(shadeText).join(';')}
      data-from={begin / 1000}
      data-until={end / 1000}
      data-step={step_sec}
      data-top={top}
      data-zoom={zoomPath}
      data-hours={hours}
      data-in={zone}
      data-live-whole
    >
      <figcaption class="heard">{label}</figcaption>
      <div class="plot">
        <div class="scale hint" aria-hidden="true">
          <span>{top} ms</span>
          <span>{top / 2} ms</span>
          <span>0 ms</span>
        </div>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
          <Shades segments={segments} x={x} />
          <path class="grid" d={`M0 ${HEIGHT / 2}h${WIDTH}`} />
          {lines.kind === 'spread' ? <path class="band" d={bandOf(spots, (sec) => x(sec * 1000), top)} /> : null}
          {lines.lines.map((_, index) => (
            <path
              class={`line l${index + 1}`}
              d={pathOf(spots.at, spots.lines[index] ?? [], (sec) => x(sec * 1000), top)}
            />
          ))}
        </svg>
      </div>
      <Ends begin={begin} end={end} />
      <link rel="stylesheet" href={UPLOT_STYLE_PATH} />
      <script src={UPLOT_SCRIPT_PATH} defer />
      <script src={CHART_SCRIPT_PATH} defer />
    </figure>
  )
}

function Ends({ begin, end }: { begin: number; end: number }) {
  return (
    <p class="ends hint">
      {TICKS.map((share) => {
        const at = new Date(begin + share * (end - begin))
        return <At at={at.toISOString()} />
      })}
    </p>
  )
}

/** Renders the downtime of a check without response times, and the time with an unknown state. */
export function StateChart({ segments, from, until, label }: Omit<ChartProps, 'lines' | LineProps>) {
  const [begin, end] = [from.getTime(), until.getTime()]
  return (
    <figure class="chart states" data-live-whole>
      <figcaption class="heard">{label}</figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
        <Shades segments={segments} x={(ms) => round(((ms - begin) / (end - begin)) * WIDTH)} />
      </svg>
      <Ends begin={begin} end={end} />
    </figure>
  )
}

/** Renders the names of a chart's lines and shades. */
export function Legend({
  lines = { lines: [] },
  shades,
}: {
  lines?: Pick<Lines, 'lines'>
  shades: readonly (readonly [kind: string, text: string])[]
}) {
  return (
    <ul class="legend" data-live-whole>
      {lines.lines.map(({ label }, index) => (
        <li>
          <i class={`key line l${index + 1}`} aria-hidden="true" />
          {label}
        </li>
      ))}
      {shades.map(([kind, text]) => (
        <li>
          <i class={`key ${kind}`} aria-hidden="true" />
          {text}
        </li>
      ))}
    </ul>
  )
}

function Shades({ segments, x }: { segments: readonly Segment[]; x(ms: number): number }) {
  const strokes = { paused: '', maintenance: '', unknown: '', failed: '' }
  for (const { from, until, kind, failed, unknown } of segments) {
    const [left, width] = [x(from), round(Math.max(x(until) - x(from), 1))]
    const box = (top: number, height: number): string => `M${left} ${top}h${width}v${height}h-${width}z`
    if (kind !== 'watched') strokes[kind] += box(0, HEIGHT)
    // Draws unknown time from the top and failures from the bottom, each as high as its share.
    if (unknown > 0) strokes.unknown += box(0, heightOf(unknown))
    if (failed > 0) strokes.failed += box(HEIGHT - heightOf(failed), heightOf(failed))
  }
  return (
    <>
      {Object.entries(strokes).map(([kind, line]) => (line === '' ? null : <path class={`shade ${kind}`} d={line} />))}
    </>
  )
}

function heightOf(share: number): number {
  return round(Math.max(LEAST, share * HEIGHT))
}

/** Returns a segment as the script reads it: from, until, kind, and the shares of failed and unmonitored time. */
function shadeText({ from, until, kind, failed, unknown }: Segment): string {
  return [from / 1000, until / 1000, kind[0], thousandths(failed), thousandths(unknown)].join()
}

/** Rounds a share to thousandths. Only a share of nothing becomes 0, and only a share of everything becomes 1. */
function thousandths(share: number): number {
  if (share <= 0 || share >= 1) return share
  return Math.min(0.999, Math.max(0.001, Math.round(share * 1000) / 1000))
}

/** Returns the values of all lines at common instants, with breaks where data is missing in between. */
export function spotsOf({
  lines,
  segments,
  step_sec,
  each_sec,
}: Omit<ChartProps, 'label' | 'from' | 'until' | 'now' | 'zoomPath'>): Spots {
  const bridged_sec = (MOST_MISSING + 1) * Math.max(step_sec, each_sec)
  const dark = segments.filter(({ kind, unknown }) => kind === 'paused' || unknown >= 1)
  const isBroken = (since: number, till: number, own_sec = 0): boolean =>
    till - since > Math.max(bridged_sec, (MOST_MISSING + 1) * own_sec) ||
    dark.some(({ from, until }) => from / 1000 < till && until / 1000 > since + step_sec)
  const spots: Spots = { at: [], runs: [], failures: [], lines: lines.lines.map(() => []) }
  for (const [index, at] of lines.at.entries()) {
    const before = lines.at[index - 1]
    if (before !== undefined && at - before > step_sec && isBroken(before, at)) {
      spots.at.push(before + step_sec)
      spots.runs.push(undefined)
      spots.failures.push(undefined)
      for (const line of spots.lines) line.push(null)
    }
    spots.at.push(at)
    spots.runs.push(lines.runs[index])
    spots.failures.push(lines.failures[index])
    for (const [place, line] of spots.lines.entries()) {
      const { values = [], failed = [] } = lines.lines[place] ?? {}
      // Where every run failed, there is nothing to draw a line through.
      line.push(values[index] ?? (failed[index] ? null : undefined))
    }
  }
  for (const line of spots.lines) breakLine(spots.at, line, isBroken)
  return spots
}

/** Breaks a line where its own values are too far apart, even if other lines have values in between. */
function breakLine(
  at: readonly number[],
  line: Spot[],
  isBroken: (since: number, till: number, own_sec: number) => boolean,
): void {
  const own_sec = usualGap(at, line)
  let last: number | undefined
  for (const [index, value] of line.entries()) {
    if (typeof value !== 'number') continue
    const hasHole = last !== undefined && index - last > 1
    if (hasHole && isBroken(at[last as number] as number, at[index] as number, own_sec))
      line[(last as number) + 1] = null
    last = index
  }
}

/**
 * Returns the usual distance between the values of a line, in seconds. It is longer than the interval if several monitors take
 * turns, or if the interval was longer before.
 */
function usualGap(at: readonly number[], line: readonly Spot[]): number {
  const own = at.filter((_, index) => typeof line[index] === 'number')
  const gaps = own.slice(1).map((sec, index) => sec - (own[index] as number))
  return gaps.toSorted((a, b) => a - b)[Math.floor((gaps.length - 1) / 2)] ?? 0
}

/** Returns the path of a line. A single value becomes a dot: a line of no length with round ends. */
function pathOf(at: readonly number[], line: readonly Spot[], x: (sec: number) => number, top: number): string {
  let [path, isDrawing] = ['', false]
  for (const [index, value] of line.entries()) {
    if (value === null) isDrawing = false
    if (typeof value !== 'number') continue
    const spot = `${x(at[index] as number)} ${round((1 - value / top) * HEIGHT)}`
    path += isDrawing ? `L${spot}` : `M${spot}h0`
    isDrawing = true
  }
  return path
}

/** Returns the path of the area between the first two lines, where both have values. */
function bandOf({ at, lines: [low = [], high = []] }: Spots, x: (sec: number) => number, top: number): string {
  let [path, edge] = ['', [] as { sec: number; low: number; high: number }[]]
  const close = (): void => {
    const spot = (sec: number, value: number): string => `${x(sec)} ${round((1 - value / top) * HEIGHT)}`
    const there = edge.map((one) => spot(one.sec, one.high))
    const back = edge.toReversed().map((one) => spot(one.sec, one.low))
    if (edge.length > 1) path += `M${[...there, ...back].join('L')}Z`
    edge = []
  }
  for (const [index, sec] of at.entries()) {
    const [least, most] = [low[index], high[index]]
    if (least === null || most === null) close()
    if (typeof least === 'number' && typeof most === 'number') edge.push({ sec, low: least, high: most })
  }
  close()
  return path
}

/** Returns the smallest round number that is not below `value`. */
export function niceTop(value: number): number {
  const unit = 10 ** Math.floor(Math.log10(value))
  return ([1, 1.5, 2, 3, 4, 5, 6, 8, 10].find((times) => times * unit >= value) ?? 10) * unit
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
