// Compares the probes per second of CPU of the agent with those of Debian's blackbox_exporter, which gets one request for each
// probe, as Prometheus would send it. The targets are Debian's nginx and bind9, and this machine itself for icmp.
import { writeFile } from 'node:fs/promises'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { mayPing } from '../../../packages/agent/dist/process/ping-socket.js'
import { freePorts, profiling, startProgram, startScript } from '../../lab/children.ts'
import { processMeter } from '../../lab/cpu.ts'
import { requireProgram } from '../../lab/debian.ts'
import { type BareStage, say } from '../../lab/stage.ts'
import { compare, cpuPerUnit } from '../support/report.ts'
import type { Arm, Slice } from '../support/rounds.ts'
import { ADDRESS, BANNER, checkOf, NAME, SCHEMES, type Scheme, WORDS } from './checks.ts'
import type { Task, TaskResult } from './prober.ts'

const PROBER = fileURLToPath(new URL('./prober.ts', import.meta.url))
/** Number of probes that one request to our process asks for, so that requests cost next to nothing. */
const PROBES_EACH = 20
const AT_LEAST: Readonly<Record<Scheme, number>> = { http: 3, https: 0.9, tcp: 3, tls: 0.9, dns: 3, icmp: 2 }
const BLACKBOX = 'prometheus-blackbox-exporter'
const STREAM = '/usr/lib/nginx/modules/ngx_stream_module.so'

/** Starts the probe of a scheme, as often as PROBES_EACH. */
type Probe = (scheme: Scheme) => Promise<void>

/** Compares the probers, or says why Debian's programs cannot be installed. */
export async function compareProbers(stage: BareStage, dir: string): Promise<void> {
  let programs: Record<'nginx' | 'stream' | 'named' | 'blackbox', string>
  try {
    programs = {
      nginx: requireProgram('nginx', '/usr/sbin/nginx'),
      stream: requireProgram('libnginx-mod-stream', STREAM),
      named: requireProgram('bind9', '/usr/sbin/named'),
      blackbox: requireProgram(BLACKBOX, `/usr/bin/${BLACKBOX}`),
    }
  } catch (error) {
    return say(`skipped: probes of blackbox_exporter: ${(error as Error).message}`)
  }
  const urls: Urls = {
    ...(await serveTargets(stage, dir, programs)),
    dns: await serveNames(stage, dir, programs.named),
    icmp: 'icmp://127.0.0.1?count=1',
  }
  const [ours, blackbox] = [startOurs(stage, dir, urls), await startBlackbox(stage, dir, programs.blackbox, urls)]
  const schemes = SCHEMES.filter((scheme) => scheme !== 'icmp' || mayPing())
  if (!mayPing()) say("skipped: icmp: this needs sysctl net.ipv4.ping_group_range='0 2147483647'")
  const arms = schemes.flatMap((scheme): Arm[] => [
    { ...ours, name: `${scheme} ours`, unitsPerStep: PROBES_EACH, step: () => ours.probe(scheme) },
    { ...blackbox, name: `${scheme} blackbox`, unitsPerStep: PROBES_EACH, step: () => blackbox.probe(scheme) },
  ])
  const probesPerCpu = (slice: Slice) => 1e6 / cpuPerUnit()(slice)
  await compare(stage.flags, arms, {
    title: 'agent: probes with every rule on; only the CPU of the prober counts',
    inFlight: 32,
    claims: schemes.map((scheme) => [
      `${scheme}: ours/blackbox`,
      ...([`${scheme} ours`, `${scheme} blackbox`, probesPerCpu, { atLeast: AT_LEAST[scheme] }] as const),
    ]),
  })
}

type Urls = Readonly<Record<Scheme, string>>

function startOurs(stage: BareStage, dir: string, urls: Urls) {
  const env = { NODE_EXTRA_CA_CERTS: join(dir, 'ca.pem'), UV_THREADPOOL_SIZE: '64' }
  const child = startScript(stage, PROBER, { env, flags: profiling(stage) })
  const waiting = new Map<number, (done: TaskResult) => void>()
  child.on('message', (done: TaskResult) => {
    waiting.get(done.id)?.(done)
    waiting.delete(done.id)
  })
  let asked = 0
  const probe: Probe = (scheme) =>
    new Promise((resolve, reject) => {
      const task: Task = { id: asked++, check: checkOf(scheme, urls[scheme]), times: PROBES_EACH }
      waiting.set(task.id, ({ error }) =>
        error === undefined ? resolve() : reject(new Error(`our probe failed: ${error}`)),
      )
      child.send(task)
    })
  return { meters: [processMeter('prober', child.pid ?? 0)], probe }
}

async function startBlackbox(stage: BareStage, dir: string, program: string, urls: Urls) {
  const [port = 0] = await freePorts(1)
  const config = join(dir, 'blackbox.json')
  await writeFile(config, JSON.stringify({ modules: modulesOf(join(dir, 'ca.pem')) }))
  const flags = [`--config.file=${config}`, `--web.listen-address=127.0.0.1:${port}`, '--log.level=error']
  const pid = await startProgram(stage, port, [program, ...flags])
  const agent = new Agent({ keepAlive: true })
  stage.undo(async () => agent.destroy())
  const once = (path: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const sent = get({ host: '127.0.0.1', port, path, agent }, (response) => {
        text(response).then((metrics) => {
          if (/^probe_success 1$/m.test(metrics)) resolve()
          else reject(new Error(`a probe of blackbox_exporter failed: ${metrics}`))
        }, reject)
      })
      sent.on('error', reject)
    })
  const probe: Probe = async (scheme) => {
    const target = scheme === 'http' || scheme === 'https' ? urls[scheme] : new URL(urls[scheme]).host
    const path = `/probe?${new URLSearchParams({ module: scheme, target })}`
    for (let left = PROBES_EACH; left > 0; left--) await once(path)
  }
  return { meters: [processMeter('prober', pid)], probe }
}

/** Returns the modules with those of our rules that it has. Expiring certificates and slow responses are metrics there. */
function modulesOf(ca_file: string): Record<Scheme, object> {
  const tls_config = { ca_file }
  const http = {
    ...{ preferred_ip_protocol: 'ip4', valid_status_codes: [200], fail_if_body_not_matches_regexp: [WORDS] },
    ...{ body_size_limit: '1MB', headers: { 'x-probe': 'bench' } },
  }
  const tcp = { preferred_ip_protocol: 'ip4' }
  const dns = {
    ...{ preferred_ip_protocol: 'ip4', query_name: NAME, query_type: 'A', valid_rcodes: ['NOERROR'] },
    validate_answer_rrs: { fail_if_none_matches_regexp: [`.*\\t${ADDRESS.replaceAll('.', '\\.')}`] },
  }
  return {
    http: { prober: 'http', timeout: '10s', http },
    https: { prober: 'http', timeout: '10s', http: { ...http, fail_if_not_ssl: true, tls_config } },
    tcp: { prober: 'tcp', timeout: '10s', tcp: { ...tcp, query_response: [{ expect: `^${BANNER}` }] } },
    tls: { prober: 'tcp', timeout: '10s', tcp: { ...tcp, tls: true, tls_config } },
    dns: { prober: 'dns', timeout: '10s', dns },
    icmp: { prober: 'icmp', timeout: '10s', icmp: { preferred_ip_protocol: 'ip4' } },
  }
}

// A page of one kilobyte. nginx does the same work for each prober, and is not measured.
const PAGE = `${'A page says how a shop is. '.repeat(36)}${WORDS}`

async function serveTargets(
  stage: BareStage,
  dir: string,
  programs: Record<'nginx' | 'stream', string>,
): Promise<Omit<Urls, 'dns' | 'icmp'>> {
  const [plain = 0, secure = 0, banner = 0] = await freePorts(3)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${dir}/${kind};`,
  )
  await writeFile(
    join(dir, 'nginx.conf'),
    `load_module ${programs.stream};
    daemon off;
    master_process off;
    error_log stderr crit;
    pid ${dir}/nginx.pid;
    events { worker_connections 4096; }
    http {
      ${temporary.join('\n')}
      access_log off;
      server {
        listen 127.0.0.1:${plain} backlog=4096;
        listen 127.0.0.1:${secure} ssl backlog=4096;
        ssl_certificate ${dir}/cert.pem;
        ssl_certificate_key ${dir}/key.pem;
        ssl_protocols TLSv1.3;
        default_type text/plain;
        location / { return 200 "${PAGE}"; }
      }
    }
    stream {
      server {
        listen 127.0.0.1:${banner} backlog=4096;
        return "${BANNER}\\r\\n";
      }
    }`,
  )
  await startProgram(stage, plain, [programs.nginx, '-e', 'stderr', '-p', dir, '-c', join(dir, 'nginx.conf')])
  return {
    http: `http://127.0.0.1:${plain}/health`,
    https: `https://127.0.0.1:${secure}/health`,
    tcp: `tcp://127.0.0.1:${banner}`,
    tls: `tls://127.0.0.1:${secure}`,
  }
}

async function serveNames(stage: BareStage, dir: string, named: string): Promise<string> {
  const [port = 0] = await freePorts(1)
  await writeFile(
    join(dir, 'zone'),
    `$TTL 300\n@ IN SOA ns admin 1 3600 600 86400 300\n@ IN NS ns\nns IN A 127.0.0.1\n${NAME}. IN A ${ADDRESS}\n`,
  )
  await writeFile(
    join(dir, 'named.conf'),
    `options {
      directory "${dir}";
      pid-file none;
      session-keyfile "${dir}/session.key";
      listen-on port ${port} { 127.0.0.1; };
      listen-on-v6 { none; };
      recursion no;
      dnssec-validation no;
    };
    controls { };
    zone "zone.example" { type primary; file "${dir}/zone"; };`,
  )
  await startProgram(stage, port, [named, '-f', '-c', join(dir, 'named.conf')])
  return `dns://127.0.0.1:${port}/${NAME}`
}
