// The agent as people run it, with a server that accepts everything it sends.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AGENT_FLAGS } from '../../../packages/agent/bin/node-flags.js'
import type { Check } from '../../../packages/monitor-sdk/dist/index.js'
import { profiling } from '../../lab/children.ts'
import { type Meter, peakMemory, processMeter } from '../../lab/cpu.ts'
import { type BareStage, end, LIFELINE } from '../../lab/stage.ts'
import { type MonitorApi, serveMonitorApi } from './monitor-api.ts'
import type { Certified } from './targets.ts'

const PROGRAM = fileURLToPath(new URL('../../../packages/agent/dist/main.js', import.meta.url))

export interface RunningAgent {
  api: MonitorApi
  meter: Meter
  /** Its peak memory in MB. */
  peakMemory: () => number
  /** Stops it cleanly, after it has uploaded all its results. */
  stop: () => Promise<void>
}

/** Starts an agent with its own state directory. Resolves when it has its checks. */
export async function startAgent(
  stage: BareStage,
  { dir, ca_file }: Certified,
  checks: readonly Check[],
): Promise<RunningAgent> {
  const api = await serveMonitorApi(stage, checks)
  const state_dir = join(dir, `state-${new URL(api.url).port}`)
  const place = ['--region', 'eu-central', '--country', 'DE', '--city', 'Kiel']
  // It must not need the Internet, so that a machine without it can be measured.
  const flags = [
    '--server',
    api.url,
    '--state-dir',
    state_dir,
    ...place,
    '--connectivity',
    'off',
    '--log-level',
    'warn',
  ]
  const child = spawn(
    process.execPath,
    [...AGENT_FLAGS, ...profiling(stage), '--import', LIFELINE, PROGRAM, ...flags],
    {
      // As its unit sets it. With fewer threads it would restart itself, without the lifeline.
      env: {
        PATH: process.env.PATH,
        UV_THREADPOOL_SIZE: '64',
        NODE_EXTRA_CA_CERTS: ca_file,
        DOGWATCH_ENROLLMENT_TOKEN: 'dogwatch_enroll_bench',
      },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    },
  )
  stage.undo(() => end(child, 'SIGTERM'))
  const ended = once(child, 'exit').then(() => {
    throw new Error('the agent ended before it had its checks')
  })
  ended.catch(() => undefined)
  await Promise.race([api.synced, ended])
  const pid = child.pid ?? 0
  return {
    api,
    meter: processMeter('agent', pid),
    peakMemory: () => peakMemory(pid),
    stop: () => end(child, 'SIGTERM'),
  }
}
