// Proves that a machine with nothing but a shell, curl, tar and the core utilities becomes a monitor by the command of the page, is
// upgraded without losing what it has not uploaded, and is rid of the agent again. The machine is a root of its own without
// Node, and the server is the real one. Then the server itself, from its archive, in an empty folder. Needs Linux, and root for
// mounts.
// npm run prove -- install
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { validate } from 'dockerfile-utils'
import { installerCommands } from '../../packages/server/dist/console/pages/monitors/commands.js'
import { freePort } from '../../packages/server/dist/embedded-postgres/server.js'
import { requireProgram } from '../lab/debian.ts'
import { readFlags } from '../lab/proof-flags.ts'
import { assignToAll, type Outcome, proveInWorld, type Server, until, type World } from '../lab/world.ts'
import { makeRoot, within } from './install/root.ts'
import { runServerArchive } from './install/server-archive.ts'
import { openSite } from './support/site.ts'

readFlags({})
const LIMIT_MS = 420_000
const SOON_MS = 60_000
const AWAY_MS = 6_000
/** How open the unit may be, in tenths, by `systemd-analyze security`. */
const MOST_EXPOSED = 20
const MAKE = fileURLToPath(new URL('../../packages/agent/packaging/make.ts', import.meta.url))
const UNIT = fileURLToPath(new URL('../../packages/agent/systemd/dogwatch-agent.service', import.meta.url))
/** What upgrades: the installer without a token. */
const UPGRADE = (url: string) => `curl -fsSLo /tmp/i.sh ${url}/install/install.sh && sh /tmp/i.sh </dev/null`
const NAME = `it's rack "4" $(id)`

await proveInWorld('install', LIMIT_MS, prove)

async function prove(world: World): Promise<Outcome> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) throw new Error('this needs Linux, and root for mounts')
  const archives = join(world.folder, 'archives')
  const made_sec = timed(() => execFileSync(process.execPath, [MAKE, '--out', archives], { stdio: 'inherit' }))
  const again_sec = timed(() => execFileSync(process.execPath, [MAKE, '--out', archives], { stdio: 'inherit' }))
  const port = await freePort(0)
  const url = `http://127.0.0.1:${port}`
  const settings = { AGENT_ARCHIVES: archives, PORT: String(port), PUBLIC_URL: url, LOCAL_MONITOR: 'off' }
  const server = await world.serve(settings)
  const site = await openSite(world)
  await assignToAll(world, [{ name: 'site', url: `${site.url}/`, interval_sec: 1 }])
  const root = makeRoot(join(world.folder, 'root'))
  const machine = { world, root, url, faults: [] as string[] }

  const first_sec = await installAndRun(machine)
  await checkWrongChecksum(machine, archives)
  const kept = await upgradeWhileAway(machine, archives, server, settings)
  uninstall(machine)
  judgeUnit(machine)
  await judgeContainerfile(machine)
  const archive = await runServerArchive(world, archives)
  const faults = [...machine.faults, ...archive.faults]
  const figures =
    `archive made in ${made_sec.toFixed(1)} s (${again_sec.toFixed(1)} s when nothing changed); ` +
    `first result ${first_sec.toFixed(1)} s after the command began; ${kept} results outlived the upgrade; ` +
    `${archive.figures}; ` +
    'left out: a real systemd (its unit is verified, and a stand-in for systemctl is called), a container engine (the file is linted)'
  return { figures, faults }
}

interface Machine {
  world: World
  root: string
  url: string
  faults: string[]
}

function timed(work: () => void): number {
  const began = performance.now()
  work()
  return (performance.now() - began) / 1000
}

/** Runs commands in the machine, and returns what they said. */
function type({ root, faults }: Machine, commands: string, { mayFail = false } = {}): string {
  const [program = '', ...args] = within(root, ['/bin/sh', '-c', commands])
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', env: {}, timeout: 120_000 })
  const said = `${stdout}${stderr}`
  process.stdout.write(said.replace(/^(?=.)/gm, '    '))
  if (status !== 0 && !mayFail)
    faults.push(`it ended with ${String(status)}: ${commands.split('\n')[0] ?? ''}: ${said}`)
  return said
}

/** The commands of the page, for a machine without systemd, and then what they tell people to run. */
async function installAndRun(machine: Machine): Promise<number> {
  const { world, url, faults, root } = machine
  const place = { name: NAME, region: 'eu', country: 'DE', city: 'Kiel' }
  const began = performance.now()
  const said = type(machine, installerCommands({ ...place, public_url: url, token: world.enrollment_token }))
  if (!/enrolled as monitor \w+; the first sync succeeded with 1 check/.test(said))
    faults.push('it did not say that it synced')
  if (!said.includes('    /opt/dogwatch-agent/run\n')) faults.push('it did not say what to run')
  const { rows } = await world.deps.database.pools.machines.query<{ name: string }>('select name from monitors')
  if (rows[0]?.name !== NAME) faults.push(`the monitor is called ${String(rows[0]?.name)}`)
  const { stdout: found } = spawnSync(
    'grep',
    ['-rlsF', world.enrollment_token, ...['etc', 'opt', 'tmp', 'usr/local', 'var'].map((path) => join(root, path))],
    { encoding: 'utf8' },
  )
  if (found !== '') faults.push(`the token is on disk: ${found}`)
  const agent = run(machine)
  if (!(await until(async () => (await count(world)) > 0, SOON_MS))) faults.push('there is no result')
  const first_sec = (performance.now() - began) / 1000
  const owner = execFileSync('ps', ['-o', 'uid=', '-p', String(pidOf(agent))], { encoding: 'utf8' }).trim()
  if (owner === '0') faults.push('the agent runs as root')
  await end(agent)
  return first_sec
}

/** What the installer told people to run. */
function run({ root, world }: Machine): ChildProcess {
  const [program = '', ...args] = within(root, ['/opt/dogwatch-agent/run', '--connectivity', 'off'])
  const agent = spawn(program, args, { stdio: 'ignore', env: {} })
  world.undo(() => end(agent))
  return agent
}

/** The process that is 1 inside. */
function pidOf({ pid }: ChildProcess): number {
  const inside = spawnSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' }).stdout.trim()
  return Number(inside.split('\n')[0])
}

async function end(agent: ChildProcess): Promise<void> {
  if (agent.exitCode !== null || agent.signalCode !== null) return
  // Process 1 does not get a signal before it listens for it.
  const ended = once(agent, 'exit').then(() => true)
  do {
    const pid = pidOf(agent)
    if (pid > 0) process.kill(pid, 'SIGTERM')
  } while (!(await Promise.race([ended, pause(500)])))
}

async function count({ deps }: World): Promise<number> {
  const { rows } = await deps.database.pools.machines.query<{ count: string }>('select count(*) from results')
  return Number(rows[0]?.count)
}

/** An archive that was changed on its way is refused, and what is installed stays. */
async function checkWrongChecksum(machine: Machine, archives: string): Promise<void> {
  const { faults, url, root } = machine
  const before = releasesIn(root)
  const { list, archive } = readArchives(archives)
  writeFileSync(
    join(archives, 'archives.json'),
    JSON.stringify({ ...list, archives: [{ ...archive, sha256: 'f'.repeat(64) }] }),
  )
  const said = type(machine, UPGRADE(url), { mayFail: true })
  if (!said.includes('the checksum of ') || !said.includes('Nothing was installed'))
    faults.push('a wrong checksum is not refused')
  if (String(releasesIn(root)) !== String(before)) faults.push('an archive with a wrong checksum was installed')
  writeFileSync(join(archives, 'archives.json'), JSON.stringify(list))
}

function releasesIn(root: string): string[] {
  return readdirSync(join(root, 'opt/dogwatch-agent/releases'))
}

interface Listed {
  file: string
  size: number
  sha256: string
}

function readArchives(folder: string): { list: { version: string; archives: Listed[] }; archive: Listed } {
  const list = JSON.parse(readFileSync(join(folder, 'archives.json'), 'utf8')) as {
    version: string
    archives: Listed[]
  }
  const [archive] = list.archives
  if (!archive) throw new Error('there is no archive')
  return { list, archive }
}

/**
 * While the server is away results wait on disk. It comes back with another version; the machine has got a systemd, and what
 * waited arrives after the upgrade. Returns how many results waited.
 */
async function upgradeWhileAway(
  machine: Machine,
  archives: string,
  server: Server,
  settings: Record<string, string>,
): Promise<number> {
  const { world, faults, root, url } = machine
  const agent = run(machine)
  const before = await count(world)
  await until(async () => (await count(world)) > before, SOON_MS)
  await server.stop()
  const [stored, away_since] = [await count(world), new Date()]
  await pause(AWAY_MS)
  await end(agent)
  publishNext(archives)
  const back_at = new Date()
  await world.serve(settings)
  standInForSystemd(root)
  const said = type(machine, UPGRADE(url))
  if (!said.includes('version 9.9.9 is installed and runs as the service'))
    faults.push('it did not say that it upgraded')
  const called = readFileSync(join(root, 'run/systemd/called'), 'utf8')
  if (!/stop dogwatch-agent\ndaemon-reload\nenable dogwatch-agent\nrestart dogwatch-agent\n$/.test(called))
    faults.push(`systemctl was called so: ${called}`)
  if (!existsSync(join(root, 'etc/systemd/system/dogwatch-agent.service'))) faults.push('there is no unit')
  if (releasesIn(root).length !== 2) faults.push('the release before is not kept')
  if (!type(machine, 'dogwatch-agent --version').startsWith('9.9.9')) faults.push('the command is not the new one')
  const upgraded = run(machine)
  await until(async () => (await count(world)) >= stored + 4, SOON_MS)
  const { rows } = await world.deps.database.pools.machines.query<{ kept: string; monitors: string }>(
    'select (select count(*) from results where ran_at > $1 and ran_at < $2) kept, (select count(*) from monitors) monitors',
    [away_since, back_at],
  )
  const kept = Number(rows[0]?.kept)
  if (kept < 3) faults.push(`only ${kept} results outlived the upgrade`)
  if (Number(rows[0]?.monitors) !== 1) faults.push(`there are ${String(rows[0]?.monitors)} monitors`)
  await end(upgraded)
  return kept
}

/** The same archive under another version. */
function publishNext(archives: string): void {
  const { list, archive } = readArchives(archives)
  const folder = join(archives, 'next')
  mkdirSync(folder)
  execFileSync('tar', ['-xzf', join(archives, archive.file), '-C', folder])
  const [name = ''] = readdirSync(folder)
  const main = join(folder, name, 'lib/main.js')
  const code = readFileSync(main, 'utf8')
  writeFileSync(main, code.replaceAll(`"${list.version}"`, '"9.9.9"'))
  writeFileSync(join(folder, name, 'VERSION'), '9.9.9\n')
  const file = archive.file.replace(list.version, '9.9.9')
  execFileSync('tar', ['-czf', join(archives, file), '-C', folder, name], {
    env: { PATH: process.env.PATH },
  })
  const bytes = readFileSync(join(archives, file))
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const next = { version: '9.9.9', archives: [{ ...archive, file, size: bytes.length, sha256 }] }
  writeFileSync(join(archives, 'archives.tmp'), JSON.stringify(next))
  renameSync(join(archives, 'archives.tmp'), join(archives, 'archives.json'))
}

/** Looks like systemd to the installer, and writes down what it is told. */
function standInForSystemd(root: string): void {
  mkdirSync(join(root, 'run/systemd/system'), { recursive: true })
  mkdirSync(join(root, 'etc/systemd/system'), { recursive: true })
  const script = '#!/bin/sh\necho "$*" >> /run/systemd/called\n'
  writeFileSync(join(root, 'usr/bin/systemctl'), script, { mode: 0o755 })
}

function uninstall(machine: Machine): void {
  const { root, faults } = machine
  type(machine, 'dogwatch-agent uninstall')
  if (!existsSync(join(root, 'var/lib/dogwatch-agent/identity.json'))) faults.push('uninstall deleted the identity')
  type(machine, UPGRADE(machine.url).replace('/tmp/i.sh <', '/tmp/i.sh --region eu --country DE --city Kiel <'))
  type(machine, 'dogwatch-agent uninstall --purge')
  const left = [
    'opt/dogwatch-agent',
    'usr/local/bin/dogwatch-agent',
    'etc/dogwatch-agent.env',
    'var/lib/dogwatch-agent',
    'etc/systemd/system/dogwatch-agent.service',
  ]
  faults.push(
    ...left.filter((path) => existsSync(join(root, path))).map((path) => `/${path} is left after uninstall --purge`),
  )
  if (readFileSync(join(root, 'etc/passwd'), 'utf8').includes('dogwatch')) faults.push('the user is left')
}

async function judgeContainerfile({ faults, url }: Machine): Promise<void> {
  const text = await (await fetch(`${url}/install/Containerfile`)).text()
  faults.push(
    ...validate(text).map(({ message, range }) => `Containerfile:${range.start.line + 1}: ${JSON.stringify(message)}`),
  )
}

function judgeUnit({ faults, root }: Machine): void {
  const analyze = requireProgram('systemd', '/usr/bin/systemd-analyze')
  const unit = join(root, 'tmp/dogwatch-agent.service')
  cpSync(UNIT, unit)
  writeFileSync(unit, readFileSync(unit, 'utf8').replace(/^ExecStart=.*/m, 'ExecStart=/bin/true'))
  for (const words of [
    ['verify', '--man=no', unit],
    ['security', '--offline=true', '--no-pager', `--threshold=${MOST_EXPOSED}`, unit],
  ]) {
    const { status, stdout, stderr } = spawnSync(analyze, words, { encoding: 'utf8' })
    if (status !== 0) faults.push(`systemd-analyze ${words[0] ?? ''}: ${stdout}${stderr}`)
  }
}
