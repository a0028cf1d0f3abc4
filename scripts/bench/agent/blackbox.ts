// Arms in which Debian's blackbox_exporter probes: one request to it per probe, as Prometheus would make it.
import { writeFile } from 'node:fs/promises'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { freePorts, startProgram } from '../../lab/children.ts'
import { processMeter } from '../../lab/cpu.ts'
import type { BareStage } from '../../lab/stage.ts'
import type { Arm } from '../support/rounds.ts'
import { fromDebian } from './debian.ts'
import { BANNER, type Certified, type Scheme, WORDS } from './targets.ts'

const PACKAGE = 'prometheus-blackbox-exporter'

export interface Blackbox {
  arm(scheme: Scheme, url: string, times: number): Arm
}

/** @throws NotToBeHad */
export async function startBlackbox(stage: BareStage, { dir, ca_file }: Certified): Promise<Blackbox> {
  const { program } = await fromDebian([PACKAGE], { program: `usr/bin/${PACKAGE}` })
  const [port = 0] = await freePorts(1)
  const path = join(dir, 'blackbox.json')
  await writeFile(path, JSON.stringify({ modules: modules(ca_file) }))
  const flags = [`--config.file=${path}`, `--web.listen-address=127.0.0.1:${port}`, '--log.level=error']
  const pid = await startProgram(stage, port, [program, ...flags])
  const meter = processMeter('prober', pid)
  const agent = new Agent({ keepAlive: true })
  stage.undo(async () => agent.destroy())
  return {
    arm: (scheme, url, times) => {
      const target = scheme === 'tcp' || scheme === 'tls' ? new URL(url).host : url
      const path = `/probe?${new URLSearchParams({ module: scheme, target })}`
      const step = async (): Promise<void> => {
        for (let left = times; left > 0; left--) await probe({ port, path, agent })
      }
      return { name: `${scheme} blackbox`, meters: [meter], unitsPerStep: times, step }
    },
  }
}

/** Those of our rules that it has. For expiring certificates and slow answers, Prometheus uses metrics. */
function modules(ca_file: string): Record<Scheme, object> {
  const tls_config = { ca_file }
  const http = {
    preferred_ip_protocol: 'ip4',
    valid_status_codes: [200],
    fail_if_body_not_matches_regexp: [WORDS],
    body_size_limit: '1MB',
    headers: { 'x-probe': 'bench' },
  }
  const tcp = { preferred_ip_protocol: 'ip4' }
  return {
    http: { prober: 'http', timeout: '10s', http },
    https: { prober: 'http', timeout: '10s', http: { ...http, fail_if_not_ssl: true, tls_config } },
    tcp: { prober: 'tcp', timeout: '10s', tcp: { ...tcp, query_response: [{ expect: `^${BANNER}` }] } },
    tls: { prober: 'tcp', timeout: '10s', tcp: { ...tcp, tls: true, tls_config } },
  }
}

function probe(options: { port: number; path: string; agent: Agent }): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = get({ host: '127.0.0.1', ...options }, (response) => {
      text(response).then((metrics) => {
        if (/^probe_success 1$/m.test(metrics)) resolve()
        else reject(new Error(`a probe of blackbox_exporter failed: ${metrics}`))
      }, reject)
    })
    sent.on('error', reject)
  })
}
