import { addCounts, LAST_MS, MIDDLES_MS, MOST_ERROR, noCounts } from '@dogwatch/store/results/sketch'
import { describe, expect, test } from '@jest/globals'
import { isPartlySketched, percentilesOf } from './percentiles.ts'

/** The buckets from their middles: as the database finds them, by the lowest time of each. */
const bucketOf = (ms: number): number => {
  let bucket = 0
  while (bucket + 1 < MIDDLES_MS.length && lowestOf(bucket + 1) <= ms) bucket++
  return bucket
}
const lowestOf = (bucket: number): number =>
  bucket === 0 ? 0 : Math.floor((MIDDLES_MS[bucket - 1] as number) / (1 - MOST_ERROR)) + 1

const sketchOf = (...pairs: [bucket: number, count: number][]): Uint8Array =>
  new Uint8Array(pairs.flatMap(([bucket, count]) => [bucket, count - 1]))
const row = (latency_sketch: Uint8Array | null, runs: number, failures = 0) => ({
  runs,
  failures,
  latency_max_ms: runs > failures ? 60_000 : null,
  latency_sketch,
})

test('every time up to two minutes is within 2 % of what stands for it, and up to 48 ms it is exact', () => {
  expect(LAST_MS).toBeGreaterThan(120_000)
  for (let bucket = 0; bucket + 1 < MIDDLES_MS.length; bucket++) {
    const [lowest, highest] = [lowestOf(bucket), lowestOf(bucket + 1) - 1]
    const middle = MIDDLES_MS[bucket] as number
    expect(middle - lowest).toBeLessThanOrEqual(MOST_ERROR * lowest + 1e-9)
    expect(highest - middle).toBeLessThanOrEqual(MOST_ERROR * highest + 1e-9)
  }
  expect(Array.from({ length: 49 }, (_, ms) => MIDDLES_MS[bucketOf(ms)])).toEqual(
    Array.from({ length: 49 }, (_, ms) => ms),
  )
})

test('joined sketches have the counts of both, in whatever order and however often a bucket comes', () => {
  const counts = noCounts()
  const sketch = Buffer.concat([sketchOf([3, 256], [3, 44], [255, 1]), sketchOf([0, 2], [3, 1])])
  expect(addCounts(counts, sketch)).toBe(304)
  expect([counts[0], counts[3], counts[255]]).toEqual([2, 301, 1])
})

describe('percentiles', () => {
  test('are those of all rows together', () => {
    expect(percentilesOf([row(sketchOf([10, 18]), 20, 2), row(sketchOf([20, 1], [48, 1]), 2)])).toEqual({
      p50_ms: 10,
      p95_ms: 20,
    })
  })

  test('are no more than the slowest', () => {
    const bucket = bucketOf(1000)
    expect(percentilesOf([{ ...row(sketchOf([bucket, 1]), 1), latency_max_ms: 1 }])).toEqual({ p50_ms: 1, p95_ms: 1 })
  })

  test.each([
    ['of no runs', []],
    ['of failures alone', [row(null, 3, 3)]],
  ])('are not known %s, and nothing is missing', (_, rows) => {
    expect([percentilesOf(rows), isPartlySketched(rows)]).toEqual([undefined, false])
  })

  test.each([
    ['an hour has no sketch', [row(null, 3), row(sketchOf([1, 1]), 1)]],
    ['an hour got results after it was sketched', [row(sketchOf([1, 2]), 3)]],
  ])('are not known where %s', (_, rows) => {
    expect([percentilesOf(rows), isPartlySketched(rows)]).toEqual([undefined, true])
  })
})
