// The output of a bench: each arm by itself, then the ratios and whether they hold.
import { availableParallelism } from 'node:os'
import type { Measured, Slice } from './rounds.ts'

/** A figure of a slice, with the name of its column. */
export interface Column {
  readonly title: string
  readonly of: (slice: Slice) => number
  readonly digits?: number
  /** Print the least and the most as well. */
  readonly spread?: boolean
}

export interface Claim {
  /** `a/b` */
  readonly what: string
  /** The names of two arms; their ratio is computed per round. */
  readonly top: string
  readonly bottom: string
  readonly of: (slice: Slice) => number
  /** Absent: the ratio is printed, and not compared with anything. */
  readonly target?: { readonly atLeast: number } | { readonly atMost: number }
}

export const unitsPerSec = (slice: Slice): number => slice.units / slice.seconds

/** Microseconds of CPU per unit, of these meters or of all. */
export function cpuPerUnit(...meters: string[]): (slice: Slice) => number {
  return ({ cpu, units }) => {
    const names = meters.length > 0 ? meters : Object.keys(cpu)
    return (names.reduce((total, name) => total + (cpu[name] ?? 0), 0) / units) * 1e6
  }
}

export function percentile(share: number): (slice: Slice) => number {
  return ({ latencies }) => {
    const sorted = latencies.toSorted((a, b) => a - b)
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  }
}

export function printArms(measured: readonly Measured[], columns: readonly Column[]): void {
  const titles = columns.flatMap(({ title, spread }) => (spread ? [title, 'min', 'max'] : [title]))
  const rows = measured.map(({ name, slices }) => [
    name,
    ...columns.flatMap(({ of, digits = 1, spread }) => {
      const values = slices.map(of)
      const shown = spread ? [median(values), Math.min(...values), Math.max(...values)] : [median(values)]
      return shown.map((value) => number(value, digits))
    }),
  ])
  printRows([['median of rounds', ...titles], ...rows])
  const others = measured.flatMap(({ slices }) => slices.map(({ others, seconds }) => others / seconds))
  const [cores, most] = [availableParallelism(), Math.max(...others)]
  process.stdout.write(
    `other work on the machine: ${number(median(others), 2)} of ${cores} processors (at most ${number(most, 2)})\n\n`,
  )
}

/** One line per claim: the median of the rounds' ratios, their range, and the target. */
export function printClaims(measured: readonly Measured[], claims: readonly Claim[]): void {
  printRows(claims.map((claim) => [claim.what, ...judged(ratios(measured, claim), claim.target)]))
}

/** A figure that was measured once, and its target. */
export interface Fact {
  readonly what: string
  readonly value: number
  readonly digits?: number
  readonly atMost?: number
  readonly atLeast?: number
}

export function printFacts(facts: readonly Fact[]): void {
  const rows = facts.map(({ what, value, digits = 2, atMost, atLeast }) => {
    const bound = atMost ?? atLeast
    if (bound === undefined) return [what, number(value, digits), '', '']
    const missing = atMost === undefined ? bound - value : value - bound
    const verdict = missing <= 0 ? 'holds' : `FELL SHORT by ${number(missing, digits)}`
    return [what, number(value, digits), `target ${atMost === undefined ? '>=' : '<='} ${bound}`, verdict]
  })
  printRows(rows)
}

function ratios(measured: readonly Measured[], { top, bottom, of }: Claim): number[] {
  const slicesOf = (name: string) => {
    const found = measured.find((arm) => arm.name === name)
    if (!found) throw new Error(`no arm ${name}`)
    return found.slices
  }
  const below = slicesOf(bottom)
  return slicesOf(top).map((slice, round) => of(slice) / of(below[round] as Slice))
}

function judged(values: number[], target: Claim['target']): string[] {
  const value = median(values)
  const range = `(${number(Math.min(...values), 2)} to ${number(Math.max(...values), 2)})`
  if (!target) return [number(value, 2), range, '', '']
  const isFloor = 'atLeast' in target
  const bound = isFloor ? target.atLeast : target.atMost
  const missing = isFloor ? bound - value : value - bound
  const verdict = missing <= 0 ? 'holds' : `FELL SHORT by ${number(missing, 3)}`
  return [number(value, 2), range, `target ${isFloor ? '>=' : '<='} ${bound}`, verdict]
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
}

function number(value: number, digits: number): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

export function printRows(rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
  for (const row of rows) process.stdout.write(`${line(row).join('  ').trimEnd()}\n`)
  process.stdout.write('\n')
}
