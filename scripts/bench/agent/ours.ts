// Arms in which the agent's own code probes, in a process of its own.
import type { ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { profiling, startScript } from '../../lab/children.ts'
import { processMeter } from '../../lab/cpu.ts'
import type { BareStage } from '../../lab/stage.ts'
import type { Arm } from '../support/rounds.ts'
import { checkOf } from './checks.ts'
import type { Done, Task } from './prober.ts'
import type { Certified, Scheme } from './targets.ts'

const PROBER = fileURLToPath(new URL('./prober.ts', import.meta.url))

export interface Prober {
  arm(scheme: Scheme, url: string, times: number): Arm
}

export function startProber(stage: BareStage, { ca_file }: Certified): Prober {
  const env = { NODE_EXTRA_CA_CERTS: ca_file, UV_THREADPOOL_SIZE: '64' }
  const child = startScript(stage, PROBER, { env, flags: profiling(stage) })
  const meter = processMeter('prober', child.pid ?? 0)
  const run = asker(child)
  return {
    arm: (scheme, url, times) => {
      const check = checkOf(scheme, url)
      return { name: `${scheme} ours`, meters: [meter], unitsPerStep: times, step: () => run({ check, times }) }
    },
  }
}

function asker(child: ChildProcess): (task: Omit<Task, 'id'>) => Promise<void> {
  const waiting = new Map<number, (done: Done) => void>()
  let asked = 0
  child.on('message', (done: Done) => {
    waiting.get(done.id)?.(done)
    waiting.delete(done.id)
  })
  return (task) =>
    new Promise((resolve, reject) => {
      const id = asked++
      waiting.set(id, ({ error }) =>
        error === undefined ? resolve() : reject(new Error(`our probe failed: ${error}`)),
      )
      child.send({ id, ...task })
    })
}
