// Measures arms against each other: in turn and in short slices, so that other load on the machine affects all alike.
import { loadavg } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type Meter, machineMeter } from '../../lab/cpu.ts'
import { say } from '../../lab/stage.ts'

/** One of the ways that are compared. */
export interface Arm {
  readonly name: string
  /** The processes whose CPU it uses; everything else is other load on the machine. */
  readonly meters: readonly Meter[]
  /** What one step accomplishes: 500 results, one request. */
  readonly unitsPerStep: number
  /** Before the clock runs: prepares what that many steps will need. */
  prepare?(steps: number): void
  /** `lane` is below the number in flight; a lane does one step at a time. */
  step(index: number, lane: number): Promise<void>
}

export interface Slice {
  units: number
  seconds: number
  /** Seconds of CPU by meter. */
  cpu: Readonly<Record<string, number>>
  /** Of the machine's CPU time, the part that none of the meters used. */
  others: number
  /** One for each step, in ms. */
  latencies: number[]
}

export interface Plan {
  rounds: number
  seconds: number
  inFlight: number
  /** Steps of the first slice, which determines the pace. */
  firstSteps?: number
}

/** The slices of one arm, one for each round. */
export interface Measured {
  readonly name: string
  readonly slices: readonly Slice[]
}

const FIRST_STEPS = 40
setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Measures every arm once a round. Two rounds before the first are for warming up and determining the pace. */
export async function interleave(arms: readonly Arm[], plan: Plan): Promise<Measured[]> {
  const slices = arms.map((): Slice[] => [])
  const { firstSteps = FIRST_STEPS } = plan
  const steps = arms.map(() => firstSteps)
  for (let round = -2; round < plan.rounds; round++) {
    say(round < 0 ? 'warming up' : `round ${round + 1} of ${plan.rounds}, load average ${loadavg()[0]?.toFixed(1)}`)
    for (const index of inTurn(arms.length, round + 2)) {
      const arm = arms[index] as Arm
      const slice = await runSlice(arm, steps[index] ?? firstSteps, plan.inFlight)
      steps[index] = Math.ceil((slice.units / arm.unitsPerStep / slice.seconds) * plan.seconds)
      if (round >= 0) slices[index]?.push(slice)
    }
  }
  return arms.map(({ name }, index) => ({ name, slices: slices[index] ?? [] }))
}

/** Another arm goes first in each round. */
function inTurn(count: number, round: number): number[] {
  return Array.from({ length: count }, (_, place) => (place + round) % count)
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
