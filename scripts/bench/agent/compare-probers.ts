// Probes per second of CPU: the agent's own prober, and Debian's blackbox_exporter.

import { type BareStage, say } from '../../lab/stage.ts'
import { type Claim, cpuPerUnit, printArms, printClaims, unitsPerSec } from '../support/report.ts'
import { type Arm, interleave, type Slice } from '../support/rounds.ts'
import { type Blackbox, startBlackbox } from './blackbox.ts'
import { NotToBeHad } from './debian.ts'
import { startProber } from './ours.ts'
import { type Certified, SCHEMES, type Scheme, serveTargets } from './targets.ts'

const IN_FLIGHT = 32
/** This many probes are requested at once, so that requesting them costs next to nothing. */
const PROBES_EACH = 20
const AT_LEAST: Readonly<Record<Scheme, number>> = { http: 3, https: 0.9, tcp: 3, tls: 0.9 }

/** Where Debian's packages cannot be downloaded, it says so and leaves this part out. */
export async function compareProbers(stage: BareStage, certified: Certified): Promise<void> {
  const others = await startOthers(stage, certified).catch((error: unknown) => {
    if (!(error instanceof NotToBeHad)) throw error
    say(`skipped: probes beside blackbox_exporter: ${error.message}`)
    return undefined
  })
  if (!others) return
  const ours = startProber(stage, certified)
  const arms = SCHEMES.flatMap((scheme): Arm[] => [
    ours.arm(scheme, others.targets[scheme], PROBES_EACH),
    others.blackbox.arm(scheme, others.targets[scheme], PROBES_EACH),
  ])
  const measured = await interleave(arms, { ...stage.flags, inFlight: IN_FLIGHT })
  process.stdout.write(`\nagent: probes with every rule on, ${IN_FLIGHT} in flight; only the prober's CPU counts\n\n`)
  printArms(measured, [
    { title: 'probes/CPU-s', of: probesPerCpu, digits: 0, spread: true },
    { title: 'CPU us/probe', of: cpuPerUnit(), digits: 0 },
    { title: 'probes/s', of: unitsPerSec, digits: 0 },
  ])
  printClaims(measured, SCHEMES.map(claimOf))
}

interface Others {
  targets: Record<Scheme, string>
  blackbox: Blackbox
}

async function startOthers(stage: BareStage, certified: Certified): Promise<Others> {
  return { targets: await serveTargets(stage, certified), blackbox: await startBlackbox(stage, certified) }
}

function claimOf(scheme: Scheme): Claim {
  const target = { atLeast: AT_LEAST[scheme] }
  const [top, bottom] = [`${scheme} ours`, `${scheme} blackbox`]
  return { what: `${scheme}: ours/blackbox`, top, bottom, of: probesPerCpu, target }
}

function probesPerCpu(slice: Slice): number {
  return 1e6 / cpuPerUnit()(slice)
}
