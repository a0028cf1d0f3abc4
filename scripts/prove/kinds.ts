// Proves that each kind of check works with real servers: starts those of Debian that are installed, and those that npm installs, and runs
// checks of them with the agent. Needs root, npm, and servers of the files in kinds/.
// npm run prove -- kinds [--only SERVER]
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { mint } from '../../packages/agent/test/support/certificates.ts'
import { SCHEME_ROWS } from '../../packages/check-rules/dist/schemes.js'
import { startMortal } from '../lab/debian.ts'
import { freePort, openFolder, readFlags, runProof, type Undo } from '../lab/proof.ts'
import { APPS } from './kinds/apps.ts'
import { type Plan, SERVERS, type ServerRow } from './kinds/servers.ts'

const { only } = readFlags({ only: { type: 'string' } })
/** Validity of the test certificate, in milliseconds. Some checks have rules about it. */
const VALID_MS = 30 * 86_400_000
const AGENT = fileURLToPath(new URL('../../packages/agent/bin/dogwatch-agent.js', import.meta.url))

type Certificates = Awaited<ReturnType<typeof mintCertificates>>

const kinds = SCHEME_ROWS.flatMap(({ name, judged_by }) => (judged_by === undefined ? [name] : []))
await runProof('kinds', 900_000, async (undo) => {
  const folder = await openFolder(undo)
  const certificates = await mintCertificates(folder)
  const [faults, missing, seen]: [string[], string[], Set<string>] = [[], [], new Set()]
  let outcomes = 0
  for (const [name, row] of Object.entries({ ...SERVERS, ...APPS })) {
    if (only !== undefined && name !== only) continue
    if (!existsSync(row.program)) missing.push(name)
    else {
      const proving = proveServer(row, join(folder, name), certificates, undo)
      const found = await proving.catch((error: unknown) => [{ url: name, found: String(error), isRight: false }])
      for (const { url, found: outcome, isRight } of found) {
        process.stdout.write(`${name}: ${url}: ${outcome}\n`)
        if (isRight) outcomes += 1
        else faults.push(`${name}: ${url}: ${outcome}`)
        if (isRight && outcome === 'ok') seen.add(url.slice(0, url.indexOf(':')))
      }
    }
  }
  if (only === undefined) faults.push(...kinds.filter((kind) => !seen.has(kind)).map((kind) => `${kind}: never ok`))
  const figures = [`${outcomes} outcomes of ${seen.size} kinds`, `not installed: ${missing.join(', ') || 'none'}`]
  return { figures, faults: [...faults, outcomes === 0 && 'no server is installed'] }
})

/** Makes a certificate authority, and a certificate for 127.0.0.1. */
async function mintCertificates(folder: string) {
  const not_after = new Date(Date.now() + VALID_MS)
  const issuer = mint({ name: 'Authority of the proof', is_ca: true, not_after })
  const { cert, key } = mint({ name: '127.0.0.1', for: ['127.0.0.1'], issuer, not_after })
  const files = { CA: issuer.cert, CERT: cert, KEY: key }
  const paths = { CA: join(folder, 'ca.pem'), CERT: join(folder, 'server.pem'), KEY: join(folder, 'server.key') }
  for (const name of ['CA', 'CERT', 'KEY'] as const) await writeFile(paths[name], files[name], { mode: 0o600 })
  return paths
}

async function proveServer(row: ServerRow, folder: string, certificates: Certificates, undo: Undo) {
  const ports = row.script === undefined ? [] : await startTarget(row, row.script, { folder, certificates }, undo)
  const outcomes: { url: string; found: string; isRight: boolean }[] = []
  for (const [target, wanted, how = {}] of row.checks) {
    const url = target.replace(/\{(\d)\}/, (_, n: string) => `127.0.0.1:${ports[Number(n) - 1]}`)
    const found = await runOnce(url, how, certificates.CA)
    const isRight = typeof wanted === 'string' ? found === wanted : wanted.test(found)
    outcomes.push({ url, found: isRight ? found : `${found}, wanted ${String(wanted)}`, isRight })
  }
  return outcomes
}

/** Starts a server in a new folder. Returns its ports once it listens on all of them. */
async function startTarget(
  { program, ports: count, isDatagram }: ServerRow,
  script: string,
  { folder, certificates }: { folder: string; certificates: Certificates },
  undo: Undo,
): Promise<number[]> {
  await mkdir(folder, { mode: 0o755 })
  const ports = await Promise.all(Array.from({ length: count }, freePort))
  const isReady = isDatagram ? awaitsDatagrams : listens
  const areReady = async () => (await Promise.all(ports.map(isReady))).every(Boolean)
  const command = ['/bin/sh', '-ec', script, program, ...ports.map(String)]
  await startMortal(command, areReady, undo, { cwd: folder, env: { ...process.env, ...certificates } })
  return ports
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.on('error', () => resolve(false))
    socket.on('connect', () => resolve(true) ?? socket.destroy())
  })
}

async function awaitsDatagrams(port: number): Promise<boolean> {
  const sockets = await readFile('/proc/net/udp', 'utf8')
  return sockets.includes(`:${port.toString(16).toUpperCase().padStart(4, '0')} `)
}

/** Runs a check once. Returns its error, or `ok`. */
async function runOnce(url: string, { fields = {}, within = [], isStranger }: Plan, ca: string): Promise<string> {
  const words = [...within, process.execPath, AGENT, 'run-once', '--json', '--fields', '-', url]
  const env = { PATH: process.env.PATH, ...(!isStranger && { NODE_EXTRA_CA_CERTS: ca }) }
  const running = promisify(execFile)(words[0] ?? '', words.slice(1), { env })
  running.child.stdin?.end(JSON.stringify(fields))
  const { stdout, stderr } = await running.catch((failed: { stdout: string; stderr: string }) => failed)
  return stdout === '' ? stderr.trim() : (JSON.parse(stdout) as { error: string }).error || 'ok'
}
