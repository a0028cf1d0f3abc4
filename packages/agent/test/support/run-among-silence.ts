// Runs checks of names that nobody answers for, and meanwhile others again and again; tells what came of them as JSON.
import { runCheck } from '../../src/run/run-check.ts'

const [scope, ...urls] = process.argv.slice(2)
const SILENT = 100
const TIMES = 20
/** Shorter than a silent name holds its thread, and far from what a busy machine takes. */
const PATIENCE_SEC = 15

async function find(url: string, timeout_sec: number): Promise<string> {
  const check = {
    guid: url,
    name: url,
    url,
    timeout_sec,
    enabled: true,
    deleted: false,
    interval_sec: 60,
    match_string: '',
    result_detail_max_chars: 0,
    updated_at: '2026-11-20T10:00:00.000000Z',
  }
  const options = { public_targets_only: scope === 'public', now: () => new Date() }
  return runCheck(check, options).then(
    ({ error }) => error || 'ok',
    (error: unknown) => (error as { why: string }).why,
  )
}

// A name that has answered before.
for (const url of urls) await find(url, PATIENCE_SEC)
const silent = Array.from({ length: SILENT }, (_, n) => find(`http://silent-${n}.test/`, 4))
const found = urls.map(() => new Set<string>())
for (let n = 0; n < TIMES; n += 1) {
  await Promise.all(urls.map(async (url, at) => found[at]?.add(await find(url, PATIENCE_SEC))))
}
const others = [...new Set(await Promise.all(silent))].sort()
const told = JSON.stringify({ among: found.map((all) => [...all].join()), others })
// An exit would wait for the threads that look up.
process.stdout.write(told, () => process.kill(process.pid, 'SIGKILL'))
