// The target of the probes: nginx on loopback, with a P-256 certificate of an authority that both probers trust.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mint } from '../../../packages/agent/test/support/certificates.ts'
import { freePorts, startProgram } from '../../lab/children.ts'
import type { BareStage } from '../../lab/stage.ts'
import { fromDebian } from './debian.ts'

export const SCHEMES = ['http', 'https', 'tcp', 'tls'] as const
export type Scheme = (typeof SCHEMES)[number]

export const WORDS = 'all is well'
export const BANNER = '220 ready'

export interface Certified {
  /** The directory of the files. */
  dir: string
  /** The authority's certificate. */
  ca_file: string
  cert: string
  key: string
}

/** A directory with certificates for 127.0.0.1. */
export async function makeCertificates(stage: BareStage): Promise<Certified> {
  const dir = await mkdtemp(join(tmpdir(), 'bench-dogwatch-agent-'))
  stage.undo(() => rm(dir, { recursive: true, force: true }))
  const ca = mint({ name: 'Bench CA', is_ca: true })
  const { cert, key } = mint({ name: 'target', for: ['127.0.0.1'], issuer: ca })
  const ca_file = join(dir, 'ca.pem')
  await writeFile(ca_file, ca.cert)
  await writeFile(join(dir, 'cert.pem'), cert)
  await writeFile(join(dir, 'key.pem'), key, { mode: 0o600 })
  return { dir, ca_file, cert, key }
}

/** Starts nginx. Resolves with its URLs. @throws NotToBeHad */
export async function serveTargets(stage: BareStage, { dir }: Certified): Promise<Record<Scheme, string>> {
  const { nginx, stream } = await fromDebian(['nginx', 'libnginx-mod-stream'], {
    nginx: 'usr/sbin/nginx',
    stream: 'usr/lib/nginx/modules/ngx_stream_module.so',
  })
  const ports = await freePorts(3)
  const [plain = 0, secure = 0, banner = 0] = ports
  const path = join(dir, 'nginx.conf')
  await writeFile(path, configuration({ dir, stream, plain, secure, banner }))
  await startProgram(stage, plain, [nginx, '-e', 'stderr', '-p', dir, '-c', path])
  return {
    http: `http://127.0.0.1:${plain}/health`,
    https: `https://127.0.0.1:${secure}/health`,
    tcp: `tcp://127.0.0.1:${banner}`,
    tls: `tls://127.0.0.1:${secure}`,
  }
}

interface Setup {
  dir: string
  stream: string
  plain: number
  secure: number
  banner: number
}

// A page of one kilobyte. One nginx process: it does the same work for each prober, and is not measured itself.
const PAGE = `${'A page says how a shop is. '.repeat(36)}${WORDS}`

function configuration({ dir, stream, plain, secure, banner }: Setup): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${dir}/${kind};`,
  )
  return `
    load_module ${stream};
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
    }
  `
}
