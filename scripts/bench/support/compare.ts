// Measures arms against each other, in turn and in short slices, so that other load on the machine affects all arms alike. Prints
// each arm, the ratios between arms, and whether they reach their targets.
import { availableParallelism } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type Meter, machineMeter } from '../../lab/cpu.ts'
import { quantile, sum } from '../../lab/proof.ts'
import { type BareStage, say } from '../../lab/stage.ts'

/** One of the compared kinds of work. */
export interface Arm<Input = unknown> {
  readonly name: string
  /** Meters of the processes that work for this arm. All other CPU time is load of other programs. */
  readonly meters: readonly Meter[]
  /** Number of units of work in one step, such as 500 results. Default: 1. */
  readonly units?: number
  /** Makes the input of a step, outside the measured time. */
  make?(): Input
  /** Does one step. `lane` is from 0 up to the number of simultaneous steps. Each lane does one step at a time. */
  step(input: Input, lane: number): Promise<unknown>
}

/** Declares an arm whose steps have an input. */
export function armOf<Input>(arm: Arm<Input>): Arm {
  return arm
}

/** Measurement of one arm during a span of time. */
interface Slice {
  units: number
  seconds: number
  /** CPU time of the slice, in seconds, by the name of the meter. */
  cpu: Readonly<Record<string, number>>
  /** Seconds of the machine's CPU that none of the meters used. */
  others: number
  /** Duration of each step, in milliseconds. */
  latencies: number[]
}

/** A number that is computed from each slice, with its name. */
export interface Figure {
  readonly name: string
  of(slice: Slice): number
}

export const RATE: Figure = { name: 'per s', of: ({ units, seconds }) => units / seconds }
export const P50: Figure = { name: 'p50', of: ({ latencies }) => quantile(latencies, 0.5) }
const P99: Figure = { name: 'p99', of: ({ latencies }) => quantile(latencies, 0.99) }

/** Returns the figure "CPU time per unit", in microseconds, of these meters or, by default, of all meters. */
export function cpuOf(...meters: string[]): Figure {
  const of = ({ cpu, units }: Slice) => {
    const names = meters.length > 0 ? meters : Object.keys(cpu)
    return (sum(names.map((name) => cpu[name] ?? 0)) / units) * 1e6
  }
  return { name: ['CPU', ...meters].join(' '), of }
}

/** Figure "units per second of CPU". */
export const PER_CPU: Figure = { name: 'per second of CPU', of: (slice) => 1e6 / cpuOf().of(slice) }

interface Target {
  readonly atLeast?: number
  readonly atMost?: number
}

/** A ratio between the figures of two arms, given by their names. It is computed for each round. */
export type Claim = readonly [top: string, bottom: string, figure: Figure, target?: Target]

/** A figure that was measured once. */
export type Fact = readonly [what: string, value: number, digits?: number, target?: Target]

interface Comparison {
  title: string
  inFlight: number
  claims: readonly Claim[]
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/**
 * Measures every arm once in each round, and prints the arms and the ratios. Two rounds before the first one warm up, and find
 * how many steps fit in a slice.
 */
export async function compare(
  { flags }: BareStage,
  arms: readonly Arm[],
  { title, inFlight, claims }: Comparison,
): Promise<Map<string, Slice[]>> {
  const [rounds, seconds] = [Number(flags.rounds), Number(flags.seconds)]
  const slices = new Map(arms.map(({ name }) => [name, [] as Slice[]]))
  const steps = new Map<string, number>()
  for (let round = -2; round < rounds; round++) {
    say(round < 0 ? 'warming up' : `round ${round + 1} of ${rounds}`)
    for (const arm of inTurn(arms, round + 2)) {
      const slice = await runSlice(arm, steps.get(arm.name) ?? inFlight, inFlight)
      steps.set(arm.name, Math.ceil((slice.latencies.length / slice.seconds) * seconds))
      if (round >= 0) slices.get(arm.name)?.push(slice)
    }
  }
  process.stdout.write(`\n${title}, ${inFlight} in flight\n\n`)
  printArms(slices)
  printRows(
    claims.map(([top, bottom, figure, target]) => {
      const below = slices.get(bottom) ?? []
      const ratios = (slices.get(top) ?? []).map((slice, n) => figure.of(slice) / figure.of(below[n] as Slice))
      const range = `(${number(Math.min(...ratios), 2)} to ${number(Math.max(...ratios), 2)})`
      const what = `${top} / ${bottom}, ${figure.name}`
      return [what, number(median(ratios), 2), range, ...verdict(median(ratios), 3, target)]
    }),
  )
  return slices
}

/** Returns the items in order, but begins with another item in each round. */
function inTurn<Item>(items: readonly Item[], round: number): Item[] {
  const first = round % items.length
  return [...items.slice(first), ...items.slice(0, first)]
}

async function runSlice(arm: Arm, steps: number, inFlight: number): Promise<Slice> {
  const inputs = Array.from({ length: steps }, () => arm.make?.())
  collectGarbage()
  const latencies: number[] = []
  let next = 0
  const work = async (lane: number): Promise<void> => {
    while (next < steps) {
      const begun = performance.now()
      await arm.step(inputs[next++], lane)
      latencies.push(performance.now() - begun)
    }
  }
  const used = metersFrom([machineMeter, ...arm.meters])
  const begun = performance.now()
  await Promise.all(Array.from({ length: inFlight }, (_, lane) => work(lane)))
  const seconds = (performance.now() - begun) / 1000
  const { machine = 0, ...cpu } = used()
  const others = Math.max(0, machine - sum(Object.values(cpu)))
  return { units: steps * (arm.units ?? 1), seconds, cpu, others, latencies }
}

/** Starts to measure. Returns a function that returns the CPU time since then, in seconds, by the name of the meter. */
export function metersFrom(meters: readonly Meter[]): () => Record<string, number> {
  const before = meters.map((meter) => meter.seconds())
  return () => Object.fromEntries(meters.map(({ name, seconds }, n) => [name, seconds() - (before[n] ?? 0)]))
}

function printArms(slices: ReadonlyMap<string, readonly Slice[]>): void {
  const all = [...slices.values()].flat()
  const meters = [...new Set(all.flatMap(({ cpu }) => Object.keys(cpu)))].map((meter) => [meter, cpuOf(meter)] as const)
  const rows = [...slices].map(([name, own]) => {
    const typical = ({ of }: Figure) => number(median(own.map(of)), 2)
    return [
      ...[name, typical(RATE), typical(P50), typical(P99)],
      ...meters.map(([meter, figure]) => (own.some(({ cpu }) => meter in cpu) ? typical(figure) : '')),
    ]
  })
  printRows([['median of rounds', 'per s', 'p50 ms', 'p99 ms', ...meters.map(([meter]) => `${meter} us`)], ...rows])
  const others = all.map((slice) => slice.others / slice.seconds)
  process.stdout.write(
    `other work on the machine: ${number(median(others), 2)} of ${availableParallelism()} processors (at most ${number(Math.max(...others), 2)})\n\n`,
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

/** Returns the facts about some durations in milliseconds: the median, the 99th percentile and the maximum. */
export function spanFacts(what: string, spans: readonly number[]): Fact[] {
  return [0.5, 0.99, 1].map((share) => {
    return [`${what}, ms, ${share === 1 ? 'most' : `p${share * 100}`}`, quantile(spans, share), 1]
  })
}

function number(value: number, digits: number): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

function printRows(rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
  for (const row of rows) process.stdout.write(`${line(row).join('  ').trimEnd()}\n`)
  process.stdout.write('\n')
}
