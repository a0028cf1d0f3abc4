// Compares how many probes the agent and Debian's blackbox_exporter make per second of CPU. The exporter gets one request for
// each probe, as Prometheus would send it. The targets run in this process, whose CPU does not count.
import { randomUUID } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { mayPing } from '../../../packages/agent/dist/process/ping-socket.js'
import { answerTo } from '../../../packages/agent/test/support/dns-wire.ts'
import type { Check } from '../../../packages/monitor-sdk/dist/index.js'
import { processMeter } from '../../lab/cpu.ts'
import { requireProgram, startMortal } from '../../lab/debian.ts'
import { freePorts, listen, type Undo } from '../../lab/proof.ts'
import { type BareStage, say } from '../../lab/stage.ts'
import { type Arm, compare, PER_CPU } from './compare.ts'

const PROBER = fileURLToPath(new URL('./prober.ts', import.meta.url))
const BLACKBOX = 'prometheus-blackbox-exporter'
/** Number of probes in each step. Our process gets one request for all of them, so that requests cost next to nothing. */
const PROBES = 20
const WORDS = 'all is well'
const BANNER = '220 ready'
const NAME = 'a.zone.example'
const ADDRESS = '192.0.2.7'
// A page of one kilobyte.
const PAGE = `${'A page says how a shop is. '.repeat(36)}${WORDS}`

const WEB: Partial<Check> = {
  ...{ status_code_op: 'eq', status_code_value: 200, match_string: WORDS, headers: { 'x-probe': 'bench' } },
}
const DNS: Partial<Check> = {
  assertions: [
    { on: 'dns_rcode', is: 'eq', value: 'NOERROR' },
    { on: 'dns_answer', is: 'contains', value: ADDRESS },
  ],
}

const web = {
  ...{ preferred_ip_protocol: 'ip4', valid_status_codes: [200], fail_if_body_not_matches_regexp: [WORDS] },
  ...{ body_size_limit: '1MB', headers: { 'x-probe': 'bench' } },
}
const tcp = { preferred_ip_protocol: 'ip4' }

/**
 * Returns the checks of each scheme, with every rule that ours supports, and the module of blackbox_exporter with those of the
 * rules that it has. For the exporter, expiring certificates and slow responses are metrics, not rules.
 */
const schemesOf = (ca_file: string) => ({
  http: { at_least: 3, rules: WEB, module: { prober: 'http', http: web } },
  https: {
    ...{ at_least: 0.9, rules: WEB },
    module: { prober: 'http', http: { ...web, fail_if_not_ssl: true, tls_config: { ca_file } } },
  },
  tcp: {
    ...{ at_least: 3, rules: { match_string: BANNER } },
    module: { prober: 'tcp', tcp: { ...tcp, query_response: [{ expect: `^${BANNER}` }] } },
  },
  tls: {
    ...{ at_least: 0.9, rules: { match_string: '127.0.0.1' } },
    module: { prober: 'tcp', tcp: { ...tcp, tls: true, tls_config: { ca_file } } },
  },
  dns: {
    ...{ at_least: 3, rules: DNS },
    module: {
      prober: 'dns',
      dns: {
        ...{ preferred_ip_protocol: 'ip4', query_name: NAME, query_type: 'A', valid_rcodes: ['NOERROR'] },
        validate_answer_rrs: { fail_if_none_matches_regexp: [`.*\\t${ADDRESS.replaceAll('.', '\\.')}`] },
      },
    },
  },
  icmp: { at_least: 2, rules: {}, module: { prober: 'icmp', icmp: { preferred_ip_protocol: 'ip4' } } },
})
type Scheme = keyof ReturnType<typeof schemesOf>

/** Serves the targets of all schemes, and returns their URLs. The machine itself answers icmp. */
async function serveTargets(undo: Undo, pair: { cert: string; key: string }): Promise<Record<Scheme, string>> {
  const page: RequestListener = (_req, res) => res.end(PAGE)
  const names = createSocket('udp4')
  names.on('message', (query, peer) => names.send(answerTo(query, ADDRESS), peer.port, peer.address))
  await once(names.bind(0, '127.0.0.1'), 'listening')
  undo(() => names.close())
  const secure = await listen(createSecureServer({ ...pair, minVersion: 'TLSv1.3' }, page), undo)
  const banner = createTcpServer((socket) => socket.on('error', () => {}).end(`${BANNER}\r\n`))
  return {
    http: `http://127.0.0.1:${await listen(createServer(page), undo)}/health`,
    https: `https://127.0.0.1:${secure}/health`,
    tcp: `tcp://127.0.0.1:${await listen(banner, undo)}`,
    tls: `tls://127.0.0.1:${secure}`,
    dns: `dns://127.0.0.1:${names.address().port}/${NAME}`,
    icmp: 'icmp://127.0.0.1?count=1',
  }
}

/** Compares the probers, or says why blackbox_exporter cannot be installed. `dir` has the certificate authority. */
export async function compareProbers(
  stage: BareStage,
  dir: string,
  pair: { cert: string; key: string },
): Promise<void> {
  let program: string
  try {
    program = requireProgram(BLACKBOX, `/usr/bin/${BLACKBOX}`)
  } catch (error) {
    return say(`skipped: probes of blackbox_exporter: ${(error as Error).message}`)
  }
  const urls = await serveTargets(stage.undo, pair)
  const [own = 0, exporter = 0] = await freePorts(2)
  const ca_file = join(dir, 'ca.pem')
  const all = Object.entries(schemesOf(ca_file)) as [Scheme, ReturnType<typeof schemesOf>[Scheme]][]
  const checks = Object.fromEntries(all.map(([scheme, { rules }]) => [scheme, checkOf(urls[scheme], rules)]))
  const env = ['/usr/bin/env', `NODE_EXTRA_CA_CERTS=${ca_file}`, 'UV_THREADPOOL_SIZE=64']
  const script = ['--disable-warning=ExperimentalWarning', PROBER, String(own), JSON.stringify(checks)]
  const start = (port: number, command: readonly string[]) => {
    const isReady = () => fetch(`http://127.0.0.1:${port}/`).then(() => true)
    return startMortal(command, isReady, stage.undo)
  }
  const ours = processMeter('prober', await start(own, [...env, process.execPath, ...script]))
  const modules = Object.fromEntries(all.map(([scheme, { module }]) => [scheme, { ...module, timeout: '10s' }]))
  await writeFile(join(dir, 'blackbox.json'), JSON.stringify({ modules }))
  const flags = [
    `--config.file=${dir}/blackbox.json`,
    `--web.listen-address=127.0.0.1:${exporter}`,
    '--log.level=error',
  ]
  const blackbox = processMeter('prober', await start(exporter, [program, ...flags]))

  const wanted = all.filter(([scheme]) => scheme !== 'icmp' || mayPing())
  if (!mayPing()) say("skipped: icmp: this needs sysctl net.ipv4.ping_group_range='0 2147483647'")
  const arms = wanted.flatMap(([scheme]): Arm[] => {
    const target = scheme === 'http' || scheme === 'https' ? urls[scheme] : new URL(urls[scheme]).host
    return [
      {
        ...{ name: `${scheme} ours`, meters: [ours], units: PROBES },
        step: () => probe(own, { module: scheme, times: String(PROBES) }),
      },
      {
        ...{ name: `${scheme} blackbox`, meters: [blackbox], units: PROBES },
        step: async () => {
          for (let left = PROBES; left > 0; left--) await probe(exporter, { module: scheme, target })
        },
      },
    ]
  })
  await compare(stage, arms, {
    title: 'agent: probes with every rule on; only the CPU of the prober counts',
    inFlight: 32,
    claims: wanted.map(([scheme, { at_least }]) => [
      ...([`${scheme} ours`, `${scheme} blackbox`, PER_CPU, { atLeast: at_least }] as const),
    ]),
  })
}

function checkOf(url: string, rules: Partial<Check>): Check {
  return {
    ...{ guid: randomUUID(), name: 'bench', url, enabled: true, deleted: false, interval_sec: 60, timeout_sec: 10 },
    ...{ max_response_time_ms: 8000, cert_expiry_warn_days: 14, result_detail_max_chars: 256 },
    ...{ updated_at: '2026-11-20T10:00:00.000000Z', match_string: '', ...rules },
  }
}

/** Requests a probe of the prober at a port. Throws if the probe fails. */
async function probe(port: number, query: Record<string, string>): Promise<void> {
  const path = `/probe?${new URLSearchParams(query)}`
  const metrics = await (await fetch(`http://127.0.0.1:${port}${path}`)).text()
  if (!/^probe_success 1$/m.test(metrics)) throw new Error(`a probe failed: ${path}: ${metrics}`)
}
