// Decides whether a series is flat: fits a line through its last two thirds, and finds the steepest line that looks like noise.
import { sum } from '../../lab/proof.ts'

export interface Point {
  /** Seconds since the beginning. */
  at: number
  value: number
}

export interface Line {
  mean: number
  /** Change per second. */
  slope: number
  /** Slope above which a line stands out from the noise. */
  visible: number
  first: number
  last: number
}

/** Standard errors within which 999 of 1000 estimates of a line are. */
const SURE = 3.3
/** Divisor for the number of points, because each resembles the one before. */
const WORTH = 2

/** Drops the first third, because a server warms up. */
function warm(points: readonly Point[]): readonly Point[] {
  return points.slice(Math.floor(points.length / 3))
}

export function lineThrough(points: readonly Point[]): Line {
  return fit(warm(points))
}

/** Returns the flatter line of the two halves. Memory of a process rises in steps, which its allocators keep. A leak is in both halves. */
export function flatterHalf(points: readonly Point[]): Line {
  const late = warm(points)
  const middle = Math.floor(late.length / 2)
  const [first, second] = [fit(late.slice(0, middle)), fit(late.slice(middle))]
  return first.slope < second.slope ? first : second
}

function fit(late: readonly Point[]): Line {
  const mean = average(late.map(({ value }) => value))
  const middle = average(late.map(({ at }) => at))
  const spread = sum(late.map(({ at }) => (at - middle) ** 2))
  const slope = sum(late.map(({ at, value }) => (at - middle) * (value - mean))) / spread
  const rest =
    sum(late.map(({ at, value }) => (value - mean - slope * (at - middle)) ** 2)) / Math.max(1, late.length - 2)
  const span = (late.at(-1)?.at ?? 0) - (late[0]?.at ?? 0)
  return {
    mean,
    slope,
    visible: SURE * Math.sqrt((WORTH * rest) / spread),
    first: mean - (slope * span) / 2,
    last: mean + (slope * span) / 2,
  }
}

function average(values: readonly number[]): number {
  return sum(values) / values.length
}
