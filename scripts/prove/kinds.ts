// Proves that each kind of check works with real servers: starts those of Debian that are installed, and those that npm installs, and runs
// checks of them with the agent. Prints one table of the outcomes, and of the tests that show hostile targets. Needs root, openssl, npm, and
// servers of the files in kinds/.
// npm run prove -- kinds [--only SERVER]
import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { SCHEME_ROWS } from '../../packages/check-rules/dist/schemes.js'
import { freePorts, need, openFolder, readFlags, runProof, type Undo } from '../lab/proof.ts'
import { APPS } from './kinds/apps.ts'
import { DATAGRAMS } from './kinds/datagrams.ts'
import { FAKE_ROWS, faultsOfFakes } from './kinds/fakes.ts'
import { type RunPlan, SERVERS, type ServerRow } from './kinds/servers.ts'
import { WEB } from './kinds/web.ts'

const { only } = readFlags({ only: { type: 'string' } })
const AGENT = fileURLToPath(new URL('../../packages/agent/bin/dogwatch-agent.js', import.meta.url))
const LISTENS_WITHIN_MS = 20_000
/** Maximum width of a column, in characters. */
const WIDEST = 110
const run = promisify(execFile)

/** Row of the table. */
type Row = readonly [server: string, target: string, expected: string, found: string]

await runProof('kinds', 600_000, async (undo) => {
  const folder = await openFolder(undo)
  const tls = await mintCertificates(folder)
  const [faults, missing, rows]: [string[], string[], Row[]] = [[], [], []]
  let held = 0
  const all = [...SERVERS, ...APPS, ...WEB, ...DATAGRAMS]
  for (const row of all.filter(({ server }) => only === undefined || server === only)) {
    if (!existsSync(row.program)) missing.push(row.server)
    else {
      const own = await proveServer(row, { folder: join(folder, row.server), tls, rows }, undo).catch(
        (error: unknown) => [`${row.server}: ${String(error)}`],
      )
      if (own.length === 0) held += 1
      faults.push(...own)
    }
  }
  const kinds = SCHEME_ROWS.flatMap(({ name, judged_by }) => (judged_by === undefined ? [name] : []))
  const seen = new Set(rows.flatMap(([, target, , found]) => (found === 'ok' ? [target.split(':')[0]] : [])))
  if (only === undefined) faults.push(...kinds.filter((kind) => !seen.has(kind)).map((kind) => `${kind}: never ok`))
  printTable([['SERVER', 'TARGET', 'EXPECTED', 'FOUND'], ...rows, ...FAKE_ROWS.map((row): Row => ['fake', ...row])])
  const figures = [`${held} servers held, ${rows.length} outcomes`, `not installed: ${missing.join(', ') || 'none'}`]
  return { figures, faults: [...faults, ...faultsOfFakes(kinds), held === 0 && 'no server is installed'] }
})

function printTable(rows: readonly Row[]): void {
  const widths = [0, 1, 2].map((at) => Math.min(WIDEST, Math.max(...rows.map((row) => row[at]?.length ?? 0))))
  for (const row of rows) {
    const cells = row.map((cell, at) =>
      cell.length > WIDEST ? `${cell.slice(0, WIDEST - 1)}…` : cell.padEnd(widths[at] ?? 0),
    )
    process.stdout.write(`${cells.join('  ')}\n`)
  }
}

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
  { server, program, user, ports: count, isDatagram, files, start, targets }: ServerRow,
  { folder, tls, rows }: { folder: string; tls: Certificates; rows: Row[] },
  undo: Undo,
): Promise<string[]> {
  await mkdir(folder, { mode: 0o755 })
  const ports = await freePorts(count)
  const place = { folder, ports, ...tls }
  for (const [name, text] of Object.entries(files?.(place) ?? {})) await writeFile(join(folder, name), text)
  for (const [first, ...args] of start?.before?.(place) ?? []) await run(first ?? '', args, { cwd: folder })
  const command = start && [...(user === undefined ? [] : asUser(user)), program, ...start.args(place)]
  const end = command && (await startServer(command, folder, { ports, isDatagram }, undo))
  const faults: string[] = []
  for (const [url, wanted, how = {}] of targets(ports)) {
    const found = await check(url, how, how.isStranger ? undefined : tls.ca)
    const isRight = typeof wanted === 'string' ? found === wanted : wanted.test(found)
    rows.push([server, wordsOf(url, how), String(wanted), isRight ? found : `WRONG: ${found}`])
    if (!isRight) faults.push(`${url}: ${found}, wanted ${String(wanted)}`)
  }
  end?.()
  return faults
}

function wordsOf(url: string, { fields, isStranger }: RunPlan): string {
  return [url, fields && JSON.stringify(fields), isStranger && '(unknown authority)'].filter(Boolean).join(' ')
}

/** Starts a server. Resolves with a function that ends it, when it listens. */
async function startServer(
  [command = '', ...words]: readonly string[],
  folder: string,
  { ports, isDatagram = false }: { ports: readonly number[]; isDatagram?: boolean | undefined },
  undo: Undo,
): Promise<() => void> {
  const child = spawn(command, words, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  let log = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => (log = (log + String(text)).slice(-4000)))
  undo(() => child.kill('SIGTERM'))
  const isReady = isDatagram ? awaitsDatagrams : listens
  await need(
    async () => (await Promise.all(ports.map(isReady))).every(Boolean),
    LISTENS_WITHIN_MS,
    () => `does not listen: ${log}`,
  )
  return () => child.kill('SIGTERM')
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

async function awaitsDatagrams(port: number): Promise<boolean> {
  const sockets = await readFile('/proc/net/udp', 'utf8')
  return sockets.includes(`:${port.toString(16).toUpperCase().padStart(4, '0')} `)
}

/** Returns the error of a check, or `ok`. */
async function check(url: string, { fields = {}, within = [] }: RunPlan, ca: string | undefined): Promise<string> {
  const env = { PATH: process.env.PATH, ...(ca === undefined ? {} : { NODE_EXTRA_CA_CERTS: ca }) }
  const words = [...within, process.execPath, AGENT, 'run-once', '--json', '--fields', '-', url]
  const running = run(words[0] ?? '', words.slice(1), { env })
  running.child.stdin?.end(JSON.stringify(fields))
  const { stdout, stderr } = await running.catch((failed: { stdout: string; stderr: string }) => failed)
  return stdout === '' ? stderr.trim() : (JSON.parse(stdout) as { error: string }).error || 'ok'
}
