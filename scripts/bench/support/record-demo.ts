// Records what real agents upload: lets some watch the demo's site, over https as well, with short intervals, and writes their
// results to scripts/lab/recording.gen.json, from which benches make theirs.
// node scripts/bench/support/record-demo.ts [--minutes N], after a build
import { writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { mint } from '../../../packages/agent/test/support/certificates.ts'
import { phaseOf } from '../../../packages/monitor-sdk/dist/agent.js'
import { checkEntries } from '../../demo/fill.ts'
import { Inbox } from '../../demo/inbox.ts'
import { openSite } from '../../demo/site.ts'
import { CHECKS, MONITORS } from '../../demo/story.ts'
import { startAgent } from '../../lab/clients/agents.ts'
import { listen, openFolder, readFlags } from '../../lab/proof.ts'
import { PHASES, type Recording } from '../../lab/recording.ts'
import { onStage, say } from '../../lab/stage.ts'
import { type CheckEntry, openOrg, query } from '../../lab/world.ts'

const RECORDING = fileURLToPath(new URL('../../lab/recording.gen.json', import.meta.url))
const flags = readFlags({ minutes: { type: 'string', default: '5' } })
/**
 * Interval of the checks, in seconds. It is shorter than a plan allows, so that a few minutes have as many runs as a usual check
 * has in an hour.
 */
const INTERVAL_SEC = 4
const CERTIFICATE_MS = 80 * 86_400_000

type Row = Record<(typeof PHASES)[number], number | null> & {
  guid: string
  name: string
  monitor_id: string
  /** Time of the run, in milliseconds since the Unix epoch. */
  ran_at: number
  success: boolean
  http_status: number
  latency_ms: number
  error: string | null
  response_sample: string | null
  has_certificate: boolean
}

const RESULTS = `
  select c.guid, c.name, r.monitor_id, (extract(epoch from r.ran_at) * 1000)::float8 as ran_at, r.success, r.http_status, r.latency_ms, r.error, r.response_sample,
    r.cert_expires_at is not null as has_certificate, ${PHASES.map((name) => `r.${name}`).join(', ')}
  from results r join checks c using (org_id, check_id) order by c.check_id, r.ran_at`

await onStage({}, async (stage) => {
  const minutes = Number(flags.minutes)
  const folder = await openFolder(stage.undo)
  const site = await openSite(undefined, await Inbox.open(join(folder, 'inbox.jsonl'), 'unused'))
  stage.undo(() => site.close())
  const secure = await listen(serveSecurely(site.url), stage.undo)
  const { port } = await stage.serveAll()
  const org = await openOrg(stage, 'recording')
  const guids = CHECKS.map(() => crypto.randomUUID())
  const urls = ['/', '/health', '/checkout', '/slow'].map((path) => `https://127.0.0.1:${secure}${path}`)
  const more = [...urls, `tls://127.0.0.1:${secure}`].map((url) => ({ name: url, url, insecure_skip_verify: true }))
  const entries = [...checkEntries(site.ports, guids), ...more] as CheckEntry[]
  for (const { key } of MONITORS) {
    const { enrollment_token } = org
    const plan = { name: key, server: `http://127.0.0.1:${port}`, folder, enrollment_token }
    const agent = await startAgent({ ...plan, flags: ['--connectivity', 'off'] }, stage.undo)
    await agent.logged('enrolled')
  }
  await org.addChecks(entries.map((entry) => ({ ...entry, interval_sec: INTERVAL_SEC })))
  say(`recording for ${minutes} minutes`)
  await pause(minutes * 60_000)
  const rows = await query<Row>(stage, RESULTS)
  await writeFile(RECORDING, `${JSON.stringify(toRecording(rows))}\n`)
  say(`${rows.length} runs`)
})

/** Serves the pages of the demo's site over https. */
function serveSecurely(site: string) {
  const { cert, key } = mint({ name: 'demo.example', not_after: new Date(Date.now() + CERTIFICATE_MS) })
  return createServer({ cert, key }, ({ method, headers, url = '/' }, res) => {
    request(new URL(url, site), { method, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(res)
    })
      .on('error', () => res.destroy())
      .end()
  })
}

/** Returns the recording. It contains each text once, and each run as a row of numbers. */
function toRecording(rows: readonly Row[]): Recording {
  const texts = new Map([['', 0]])
  const numberOf = (text: string | null): number => {
    const known = texts.get(text ?? '') ?? texts.size
    texts.set(text ?? '', known)
    return known
  }
  const monitors = [...new Set(rows.map(({ monitor_id }) => monitor_id))]
  const checks = [...Map.groupBy(rows, ({ guid }) => guid).values()].map((own) => ({
    name: own[0]?.name ?? '',
    has_certificate: own.some(({ has_certificate }) => has_certificate),
    runs: own.map((run) => [
      ...[monitors.indexOf(run.monitor_id), latenessOf(run.guid, run.ran_at), run.success ? 1 : 0, run.http_status],
      ...[run.latency_ms, numberOf(run.error), numberOf(run.response_sample)],
      ...PHASES.map((name) => run[name] ?? -1),
    ]),
  }))
  return { monitors: monitors.length, texts: [...texts.keys()], checks }
}

/** Returns how long after its slot a run began, in milliseconds. The monitor API's document defines slots. */
function latenessOf(guid: string, ran_at: number): number {
  const interval = INTERVAL_SEC * 1000
  const since = (((ran_at - phaseOf(guid) * interval) % interval) + interval) % interval
  // Counts a lateness of nearly the whole interval as none, because the times of runs are whole milliseconds, and a slot can
  // begin within a millisecond.
  return since > interval - 1 ? 0 : Math.floor(since)
}
