// Measures arms against each other: in turn and in short slices, so that other load on the machine affects all alike.
import { loadavg } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type Meter, machineMeter } from '../../lab/cpu.ts'
import { say } from '../../lab/stage.ts'

/** One of the compared ways. */
export interface Arm {
  readonly name: string
  /** Meters of the processes that work for this arm. All other CPU time is load of other programs. */
  readonly meters: readonly Meter[]
  /** Units that one step accomplishes: 500 results, one request. */
  readonly unitsPerStep: number
  /** Prepares the input of that many steps, before the clock runs. */
  prepare?(steps: number): void
  /** Does one step. `lane` is below the number in flight; a lane does one step at a time. */
  step(index: number, lane: number): Promise<void>
}

export interface Slice {
  units: number
  seconds: number
  /** Seconds of CPU by meter. */
  cpu: Readonly<Record<string, number>>
  /** Seconds of the machine's CPU that none of the meters used. */
  others: number
  /** Duration of each step, in milliseconds. */
  latencies: number[]
}

export interface Plan {
  rounds: number
  seconds: number
  inFlight: number
  /** Number of steps of the first slice, which determines the pace. */
  firstSteps?: number
}

/** The slices of one arm, one for each round. */
export interface ArmResult {
  readonly name: string
  readonly slices: Slice[]
}

const FIRST_STEPS = 40
setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Measures every arm once a round. Two rounds before the first warm up and determine the pace. */
export async function interleave(arms: readonly Arm[], plan: Plan): Promise<ArmResult[]> {
  const { firstSteps = FIRST_STEPS } = plan
  const all = arms.map((arm) => ({ arm, steps: firstSteps, slices: [] as Slice[] }))
  for (let round = -2; round < plan.rounds; round++) {
    say(round < 0 ? 'warming up' : `round ${round + 1} of ${plan.rounds}, load average ${loadavg()[0]?.toFixed(1)}`)
    for (const one of startingWith(all, round + 2)) {
      const slice = await runSlice(one.arm, one.steps, plan.inFlight)
      one.steps = Math.ceil((slice.units / one.arm.unitsPerStep / slice.seconds) * plan.seconds)
      if (round >= 0) one.slices.push(slice)
    }
  }
  return all.map(({ arm: { name }, slices }) => ({ name, slices }))
}

/** Returns the items in their order, beginning with another one in each round. */
export function startingWith<Item>(items: readonly Item[], round: number): Item[] {
  const first = round % items.length
  return [...items.slice(first), ...items.slice(0, first)]
}

async function runSlice(arm: Arm, steps: number, inFlight: number): Promise<Slice> {
  arm.prepare?.(steps)
  collectGarbage()
  const latencies: number[] = []
  let next = 0
  const work = async (lane: number): Promise<void> => {
    while (next < steps) {
      const begun = performance.now()
      await arm.step(next++, lane)
      latencies.push(performance.now() - begun)
    }
  }
  const meters = [machineMeter, ...arm.meters]
  const before = meters.map((meter) => meter.seconds())
  const begun = performance.now()
  await Promise.all(Array.from({ length: inFlight }, (_, lane) => work(lane)))
  const seconds = (performance.now() - begun) / 1000
  const [machine = 0, ...used] = meters.map((meter, index) => meter.seconds() - (before[index] ?? 0))
  return {
    units: steps * arm.unitsPerStep,
    seconds,
    cpu: Object.fromEntries(arm.meters.map((meter, index) => [meter.name, used[index] ?? 0])),
    others: Math.max(0, machine - used.reduce((total, each) => total + each, 0)),
    latencies,
  }
}
