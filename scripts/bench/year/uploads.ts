// Uploads at a fixed rate, each check half a minute after its last: what else happens must not slow them down.
import { setTimeout as pause } from 'node:timers/promises'
import { type Lane, openLanes } from '../../lab/lane.ts'
import { batchMaker, toRequest } from '../support/batches.ts'
import type { Fact } from '../support/report.ts'
import type { Year } from './load.ts'

/** The batch of a monitor, this often per second. */
const PER_SEC = 20
const LANES = 4

/** Uploads until then; returns how long each took from the moment when it was due, in ms. */
export type Upload = (until: Promise<unknown>) => Promise<number[]>

/** Results per second. */
export const rateOf = ({ writers }: Year): number => PER_SEC * (writers[0]?.checks.length ?? 0)

export async function uploader({ stage, writers }: Year, env: Readonly<Record<string, string>> = {}): Promise<Upload> {
  const server = await stage.serve(env)
  const makeBatch = batchMaker(writers, () => false)
  return async (until) => {
    const lanes = await openLanes(server.port, LANES)
    const latencies: number[] = []
    let isOver = false
    const ending = until.finally(() => (isOver = true))
    const begun = performance.now()
    let next = 0
    const work = async (lane: Lane): Promise<void> => {
      while (!isOver) {
        const due = begun + (next++ * 1000) / PER_SEC
        await pause(Math.max(0, due - performance.now()))
        await lane.send(toRequest(makeBatch()))
        latencies.push(performance.now() - due)
      }
    }
    await Promise.all([ending, ...lanes.map(work)])
    for (const lane of lanes) lane.close()
    return latencies
  }
}

/** How long uploads took before something and while it went on. */
export function slowdown(before: readonly number[], during: readonly number[]): Fact[] {
  const [alone, beside] = [percentiles(before), percentiles(during)]
  return [
    { what: 'ingest p50 ms before', value: alone.p50 },
    { what: 'ingest p50 ms during', value: beside.p50 },
    { what: 'ingest p99 ms before', value: alone.p99 },
    { what: 'ingest p99 ms during', value: beside.p99 },
    { what: 'ingest p99, during / before', value: beside.p99 / alone.p99 },
    { what: 'ingest, most ms before', value: alone.most },
    { what: 'ingest, most ms during', value: beside.most },
  ]
}

function percentiles(latencies: readonly number[]): { p50: number; p99: number; most: number } {
  const sorted = latencies.toSorted((a, b) => a - b)
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN
  return { p50: at(0.5), p99: at(0.99), most: at(1) }
}
