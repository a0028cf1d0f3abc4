// Proves that each kind of check works with real servers: starts those of Debian that are installed, runs checks of them with the
// agent, and prints a table of the outcomes. Needs root, openssl, and at least one of the servers of kinds/servers.ts and kinds/apps.ts.
// npm run prove -- kinds [--only SERVER]
import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { freePorts, need, openFolder, readFlags, runProof, type Undo } from '../lab/proof.ts'
import { APPS } from './kinds/apps.ts'
import { SERVERS, type ServerRow } from './kinds/servers.ts'

const { only } = readFlags({ only: { type: 'string' } })
const AGENT = fileURLToPath(new URL('../../packages/agent/bin/dogwatch-agent.js', import.meta.url))
const LISTENS_WITHIN_MS = 20_000
const run = promisify(execFile)

await runProof('kinds', 300_000, async (undo) => {
  const folder = await openFolder(undo)
  const tls = await mintCertificates(folder)
  const faults: string[] = []
  const missing: string[] = []
  let held = 0
  for (const row of [...SERVERS, ...APPS].filter(({ server }) => only === undefined || server === only)) {
    if (!existsSync(row.program)) missing.push(row.server)
    else {
      const own = await proveServer(row, { folder: join(folder, row.server), tls }, undo).catch((error: unknown) => [
        `${row.server}: ${String(error)}`,
      ])
      if (own.length === 0) held += 1
      faults.push(...own)
    }
  }
  const figures = [`${held} servers held`, `not installed: ${missing.join(', ') || 'none'}`]
  return { figures, faults: [...faults, held === 0 && 'no server is installed'] }
})

interface Certificates {
  ca: string
  cert: string
  key: string
}

/** Makes a certificate authority, and a certificate of 127.0.0.1. */
async function mintCertificates(folder: string): Promise<Certificates> {
  const [ca, ca_key, cert, key] = ['ca.pem', 'ca.key', 'server.pem', 'server.key'].map((name) =>
    join(folder, name),
  ) as [string, string, string, string]
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '30']
  await run('openssl', [...request, '-subj', '/CN=Proof', '-keyout', ca_key, '-out', ca])
  const names = ['-addext', 'subjectAltName=IP:127.0.0.1', '-addext', 'basicConstraints=CA:FALSE']
  const issuer = ['-CA', ca, '-CAkey', ca_key]
  await run('openssl', [...request, '-subj', '/CN=127.0.0.1', ...names, ...issuer, '-keyout', key, '-out', cert])
  await chmod(key, 0o600)
  return { ca, cert, key }
}

async function proveServer(
  { server, program, user, ports: count, files, start, targets }: ServerRow,
  { folder, tls }: { folder: string; tls: Certificates },
  undo: Undo,
): Promise<string[]> {
  await mkdir(folder, { mode: 0o755 })
  const ports = await freePorts(count)
  const place = { folder, ports, ...tls }
  for (const [name, text] of Object.entries(files?.(place) ?? {})) await writeFile(join(folder, name), text)
  for (const [first, ...args] of start.before?.(place) ?? []) await run(first ?? '', args)
  const [command = '', ...words] = [...(user === undefined ? [] : asUser(user)), program, ...start.args(place)]
  const child = spawn(command, words, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  let log = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => (log = (log + String(text)).slice(-4000)))
  undo(() => child.kill('SIGTERM'))
  await need(
    async () => (await Promise.all(ports.map(listens))).every(Boolean),
    LISTENS_WITHIN_MS,
    () => `does not listen: ${log}`,
  )
  const faults: string[] = []
  for (const [url, wanted] of targets(ports)) {
    const { error, latency_ms } = await check(url, tls.ca)
    const found = error === '' ? 'ok' : error
    const isRight = typeof wanted === 'string' ? found === wanted : wanted.test(found)
    process.stdout.write(
      `kinds: ${server.padEnd(8)} ${isRight ? 'as wanted' : 'NOT SO   '} ${url}: ${found} (${latency_ms} ms)\n`,
    )
    if (!isRight) faults.push(`${url}: ${found}, wanted ${String(wanted)}`)
  }
  child.kill('SIGTERM')
  return faults
}

/** Returns the start of a command that another user runs. */
function asUser(user: string): string[] {
  return ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups']
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.on('error', () => resolve(false))
    socket.on('connect', () => resolve(true) ?? socket.destroy())
  })
}

interface Result {
  error: string
  latency_ms: number
}

async function check(url: string, ca: string): Promise<Result> {
  const env = { PATH: process.env.PATH, NODE_EXTRA_CA_CERTS: ca }
  const args = [AGENT, 'run-once', '--json', url]
  const { stdout, stderr } = await run(process.execPath, args, { env }).catch(
    (failed: { stdout: string; stderr: string }) => failed,
  )
  return stdout === '' ? { error: stderr.trim(), latency_ms: 0 } : (JSON.parse(stdout) as Result)
}
