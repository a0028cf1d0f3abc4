// Whether a series is flat: a straight line through its last two thirds, and the steepest line that could not be told
// from noise.
export interface Point {
  /** Seconds since the beginning. */
  at: number
  value: number
}

export interface Line {
  /** Of the values. */
  mean: number
  /** A second. */
  slope: number
  /** A slope steeper than this would stand out from the noise. */
  visible: number
  first: number
  last: number
}

/** Of a line that is there, one in a thousand lies further off than so many standard errors. */
const SURE = 3.3
/** What is held at a moment is like what was held just before: the points are worth fewer than they are. */
const WORTH = 2

/** The first third is for warming up. */
function warm(points: readonly Point[]): readonly Point[] {
  return points.slice(Math.floor(points.length / 3))
}

export function lineThrough(points: readonly Point[]): Line {
  return fit(warm(points))
}

/**
 * The flatter one of the lines through the two halves. Memory of a process rises in steps, to the most that was in use at once, and its
 * allocators keep it. A leak goes on in both halves.
 */
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

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
