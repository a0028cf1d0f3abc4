// Runs the demo's monitors: agents in one process, each with its own state directory and identity. Runs of a monitor that seems
// far away take longer. The process ends when its standard input ends.
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Agent } from '../../packages/agent/dist/agent.js'
import { readConfig } from '../../packages/agent/dist/process/config.js'
import { createLog, type Log } from '../../packages/agent/dist/process/log.js'
import { type RunCheck, runCheck } from '../../packages/agent/dist/run/run-check.js'
import { type DemoMonitor, MONITORS } from './story.ts'

const [server = '', folder = ''] = process.argv.slice(2)
const stopping = new AbortController()
const log = createLog('info')
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stopping.abort())
process.stdin.on('end', () => stopping.abort()).resume()

await Promise.all(MONITORS.map(runMonitor))
process.exit(0)

async function runMonitor(monitor: DemoMonitor): Promise<void> {
  const { key, name, region, country, city, far_ms } = monitor
  const place = { name, region, country, city }
  // Turns off the test of the network, because the demo's site is on this machine, and does not need the Internet.
  const flags = { server, 'state-dir': join(folder, key), connectivity: 'off', supervised: 'true', ...place }
  const agent = new Agent({ config: readConfig(flags, {}), runCheck: from(far_ms), log: naming(log, name) })
  await agent.run(stopping.signal)
}

function from(far_ms: number): RunCheck {
  return async (check, options) => {
    const found = await runCheck(check, options)
    const more_ms = Math.round(far_ms * (0.9 + Math.random() * 0.2))
    await pause(more_ms)
    // Prints the guid of the check, because `npm start` waits until a check has run.
    process.stdout.write(`${check.guid}\n`)
    return { ...found, latency_ms: found.latency_ms + more_ms }
  }
}

/** Returns a log that names the monitor in each line, because the agents share one log. */
function naming(shared: Log, monitor: string): Log {
  const say = (level: keyof Log) =>
    ((facts: object, words: string) => shared[level]({ ...facts, monitor }, words)) as Log[typeof level]
  return { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') }
}
