// Runs the agent's probes in a process of their own: GET /probe?module=NAME&times=N runs a check N times, and responds as
// blackbox_exporter does. Arguments: the port, and the checks by their names, as JSON.
import { createServer } from 'node:http'
import { runCheck } from '../../../packages/agent/dist/run/run-check.js'
import type { Check } from '../../../packages/monitor-sdk/dist/index.js'

const [port = '', checks = ''] = process.argv.slice(2)
const byName = new Map(Object.entries(JSON.parse(checks) as Record<string, Check>))
const { signal } = new AbortController()
// Does not invert results, because the agent does so later, once it knows that the network was up.
const options = { public_targets_only: false, is_upright: true, now: () => new Date(), signal }

createServer(async (req, res) => {
  const { searchParams } = new URL(req.url ?? '/', 'http://any')
  const check = byName.get(searchParams.get('module') ?? '') as Check
  let words = 'probe_success 1\n'
  for (let left = Number(searchParams.get('times')); left > 0; left--) {
    const { success, error } = await runCheck(check, options)
    if (!success) words = `${error}\n`
  }
  res.end(words)
}).listen(Number(port), '127.0.0.1')
