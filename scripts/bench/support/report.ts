// Prints what a bench measured: each arm alone, then ratios and figures, and whether they reach their targets.
import { availableParallelism } from 'node:os'
import type { Flags } from '../../lab/flags.ts'
import { type Arm, interleave, type ArmResult, type Slice } from './rounds.ts'

type Figure = (slice: Slice) => number

interface Target {
  readonly atLeast?: number
  readonly atMost?: number
}

/** A ratio of two arms, which are given by their names. It is computed for each round. */
export type Claim = readonly [what: string, top: string, bottom: string, of: Figure, target?: Target]

/** A figure that was measured once. */
export type Fact = readonly [what: string, value: number, digits?: number, target?: Target]

export const unitsPerSec: Figure = ({ units, seconds }) => units / seconds

/** Returns the figure for the CPU time per unit, of these meters or of all. In microseconds. */
export function cpuPerUnit(...meters: string[]): Figure {
  return ({ cpu, units }) => {
    const names = meters.length > 0 ? meters : Object.keys(cpu)
    return (names.reduce((total, name) => total + (cpu[name] ?? 0), 0) / units) * 1e6
  }
}

export const p50: Figure = ({ latencies }) => quantile(latencies, 0.5)
const p99: Figure = ({ latencies }) => quantile(latencies, 0.99)

interface Comparison {
  title: string
  inFlight: number
  firstSteps?: number
  claims: readonly Claim[]
}

/** Measures the arms in turn, and prints each of them and the ratios. */
export async function compare(
  { rounds, seconds }: Flags,
  arms: readonly Arm[],
  { title, claims, ...plan }: Comparison,
): Promise<ArmResult[]> {
  const measured = await interleave(arms, { rounds, seconds, ...plan })
  process.stdout.write(`\n${title}, ${plan.inFlight} in flight\n\n`)
  printArms(measured)
  printClaims(measured, claims)
  return measured
}

function printArms(measured: readonly ArmResult[]): void {
  const meters = [...new Set(measured.flatMap(({ slices }) => slices.flatMap(({ cpu }) => Object.keys(cpu))))]
  const rows = measured.map(({ name, slices }) => {
    const values = (of: Figure) => slices.map(of)
    const rates = values(unitsPerSec)
    return [
      ...[name, ...[median(rates), Math.min(...rates), Math.max(...rates)].map(short)],
      ...[median(values(p50)), median(values(p99))].map((ms) => number(ms, 2)),
      ...meters.map((meter) =>
        slices.some(({ cpu }) => meter in cpu) ? short(median(values(cpuPerUnit(meter)))) : '',
      ),
    ]
  })
  const titles = ['per s', 'min', 'max', 'p50 ms', 'p99 ms', ...meters.map((meter) => `${meter} us`)]
  printRows([['median of rounds', ...titles], ...rows])
  const others = measured.flatMap(({ slices }) => slices.map(({ others, seconds }) => others / seconds))
  process.stdout.write(
    `other work on the machine: ${number(median(others), 2)} of ${availableParallelism()} processors (at most ${number(Math.max(...others), 2)})\n\n`,
  )
}

/** Prints a line for each claim: the median of the rounds' ratios, their range, and the target. */
function printClaims(measured: readonly ArmResult[], claims: readonly Claim[]): void {
  const slicesOf = (name: string): readonly Slice[] => {
    const found = measured.find((arm) => arm.name === name)
    if (!found) throw new Error(`no arm ${name}`)
    return found.slices
  }
  printRows(
    claims.map(([what, top, bottom, of, target]) => {
      const below = slicesOf(bottom)
      const ratios = slicesOf(top).map((slice, round) => of(slice) / of(below[round] as Slice))
      const range = `(${number(Math.min(...ratios), 2)} to ${number(Math.max(...ratios), 2)})`
      return [what, number(median(ratios), 2), range, ...verdict(median(ratios), 3, target)]
    }),
  )
}

export function printFacts(facts: readonly Fact[]): void {
  printRows(
    facts.map(([what, value, digits = 2, target]) => [what, number(value, digits), ...verdict(value, digits, target)]),
  )
}

function verdict(value: number, digits: number, { atLeast, atMost }: Target = {}): string[] {
  if (atLeast === undefined && atMost === undefined) return ['', '']
  const missing = Math.max(atLeast === undefined ? 0 : atLeast - value, atMost === undefined ? 0 : value - atMost)
  return [
    atMost === undefined ? `target >= ${atLeast}` : `target <= ${atMost}`,
    missing <= 0 ? 'holds' : `FELL SHORT by ${number(missing, digits)}`,
  ]
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
}

/** Returns the value below which this share of the values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

function number(value: number, digits: number): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

function short(value: number): string {
  return number(value, value < 100 ? 2 : 0)
}

export function printRows(rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
  for (const row of rows) process.stdout.write(`${line(row).join('  ').trimEnd()}\n`)
  process.stdout.write('\n')
}
