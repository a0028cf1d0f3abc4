// An agent in this process, with probes that find what a test says.
import { join } from 'node:path'
import { afterEach } from '@jest/globals'
import { Agent } from '../../../src/agent.ts'
import { type Config, readConfig } from '../../../src/process/config.ts'
import type { Log } from '../../../src/process/log.ts'
import type { RunCheck } from '../../../src/run/run-check.ts'
import type { RunResult } from '../../../src/run/run-result.ts'
import type { ScriptedApi } from './scripted-api.ts'
import { tempDir } from './temp-dir.ts'

export const UP: RunResult = {
  kind: 'ok',
  success: true,
  error: '',
  http_status: 200,
  latency_ms: 5,
  response_sample: 'hello',
  phases: { connect: 1 },
}

export interface World {
  api: ScriptedApi
  state_dir: string
  logged: string[]
  runCheck: RunCheck
  settings: Partial<Record<keyof Config, string>>
  token: string | undefined
  /** What the clock that only goes forth is ahead, in milliseconds: a test may let time pass by it. */
  passed_ms: number
  /** How far the clock of the agent's machine is ahead, in milliseconds. */
  ahead_ms: number
  key_wait_max_ms?: number
}

export interface Running {
  agent: Agent
  /** Resolves when the agent has ended, with what ended it. */
  ended: Promise<unknown>
  stop: () => Promise<unknown>
}

const stopping: (() => Promise<unknown>)[] = []
afterEach(async () => {
  await Promise.all(stopping.splice(0).map((stop) => stop()))
})

export async function worldOf(api: ScriptedApi): Promise<World> {
  const state_dir = join(await tempDir(), 'state')
  return {
    api,
    state_dir,
    logged: [],
    runCheck: async () => UP,
    settings: {},
    token: 'enroll-token',
    passed_ms: 0,
    ahead_ms: 0,
  }
}

export function startAgent(world: World): Running {
  const { api, state_dir, settings, runCheck, token, key_wait_max_ms } = world
  const place = { name: 'n', region: 'eu', country: 'DE', city: 'Kiel' }
  const config = readConfig({ server: api.url, 'state-dir': state_dir, ...place, connectivity: 'off', ...settings }, {})
  const waits = key_wait_max_ms === undefined ? {} : { key_wait_max_ms }
  const mono = () => performance.now() + world.passed_ms
  const wall = () => Date.now() + world.ahead_ms
  const given = { config, runCheck, log: logTo(world.logged), enrollment_token: token }
  const agent = new Agent({ ...given, mono, wall, ...waits })
  const ending = new AbortController()
  const ended = agent.run(ending.signal).catch((error: unknown) => error)
  const stop = () => {
    ending.abort()
    return ended
  }
  stopping.push(stop)
  return { agent, ended, stop }
}

function logTo(lines: string[]): Log {
  const write = (facts: unknown, event?: string) => void lines.push(`${event} ${JSON.stringify(facts)}`)
  return { debug: write, info: write, warn: write, error: write } as Log
}
