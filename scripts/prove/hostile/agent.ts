// Watches an agent whose targets or definitions are hostile: what became of each run, and how much memory it took.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type LogLine, type RunningAgent, startAgent } from '../../lab/clients/agents.ts'
import { peakMemory } from '../../lab/cpu.ts'
import type { Org, World } from '../../lab/world.ts'

const MOST_MB = 250
const UPLOAD_MS = 30_000
/** Events at the end of a run. Only the first one makes a result. */
const ENDS = new Set(['ran', 'not_counted', 'own_trouble'])
/** Events that say that the server did not accept a request. */
const REFUSALS = /^(?:\w+_failed|result_set_aside|disabled|key_\w+)$/

export interface WatchedAgent {
  /** Number of runs by their outcome. */
  readonly outcomes: ReadonlyMap<string, number>
  /** Guids of checks that have run. */
  readonly ended: ReadonlySet<string>
  readonly runs: number
  /** Number of runs with a result. */
  readonly results: number
  /** Ends the agent. Resolves with the peak of its memory, and with faults. */
  finish(): Promise<{ peak_mb: number; faults: string[] }>
}

/** Starts an agent. `onEnd` receives the end of each run. */
export async function watchAgent(
  { world, url, org, cert }: { world: World; url: string; org: Org; cert: string },
  onEnd: (guid: string, at: number) => void = () => undefined,
): Promise<WatchedAgent> {
  const [outcomes, ended, faults] = [new Map<string, number>(), new Set<string>(), [] as string[]]
  let [results, runs] = [0, 0]
  const onLog = (line: LogLine): void => {
    const guid = String(line.check)
    if (line.event === 'crashed' || line.event === 'not json') faults.push(JSON.stringify(line))
    if (REFUSALS.test(line.event)) faults.push(JSON.stringify(line))
    if (!ENDS.has(line.event)) return
    const kind = String(line.event === 'ran' ? line.kind : (line.why ?? line.event))
    outcomes.set(kind, (outcomes.get(kind) ?? 0) + 1)
    results += line.event === 'ran' ? 1 : 0
    runs += 1
    ended.add(guid)
    onEnd(guid, Number(line.time) || Date.now())
  }
  const authority = join(world.folder, 'authority.pem')
  await writeFile(authority, cert)
  const agent = await startAgent(
    {
      ...{ name: org.name, server: url, folder: world.folder, enrollment_token: org.enrollment_token },
      ...{ flags: ['--log-level', 'debug', '--connectivity', 'off'], onLog, env: { NODE_EXTRA_CA_CERTS: authority } },
    },
    world.undo,
  )
  await agent.logged('started')
  return {
    outcomes,
    ended,
    get runs() {
      return runs
    },
    get results() {
      return results
    },
    finish: async () => {
      const hasEnded = agent.child.exitCode !== null || agent.child.signalCode !== null
      if (hasEnded) return { peak_mb: 0, faults: [...faults, `the agent ended: ${lastWords(agent)}`] }
      await pause(2000)
      const peak_mb = peakMemory(agent.child.pid ?? 0)
      const code = await Promise.race([agent.stop(), pause(UPLOAD_MS, 'late')])
      const unsent = agent.log.find(({ event }) => event === 'stopped')?.unsent_results
      if (code !== 0 || unsent !== 0) faults.push(`the agent ended with ${code}, ${String(unsent)} results unsent`)
      if (peak_mb > MOST_MB) faults.push(`the agent took ${peak_mb.toFixed(0)} MB`)
      return { peak_mb, faults }
    },
  }
}

function lastWords({ log }: RunningAgent): string {
  return JSON.stringify(log.slice(-3))
}
