// Proves that a machine with only a shell, curl, tar and the core utilities becomes a monitor by the command of the page, is upgraded without
// losing unsent results, and is rid of the agent again. The machine is a root of its own without Node. Then the archive of the server runs in an
// empty folder. Needs Linux, and root for mounts.
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
import { openSite } from '../lab/clients/site.ts'
import { requireProgram } from '../lab/debian.ts'
import { freePort, readFlags, runProof, until } from '../lab/proof.ts'
import { newServer, type Server } from '../lab/server.ts'
import { numberOf, openOrg, openWorld, query, type World } from '../lab/world.ts'
import { makeRoot, within } from './install/root.ts'
import { runServerArchive } from './install/server-archive.ts'

readFlags({})
const LIMIT_MS = 420_000
const SOON_MS = 60_000
const AWAY_MS = 6_000
/** Maximum exposure of the unit in tenths, by `systemd-analyze security`. */
const MOST_EXPOSED = 20
const MAKE = fileURLToPath(new URL('../../packages/agent/packaging/make.ts', import.meta.url))
const UNIT = fileURLToPath(new URL('../../packages/agent/systemd/dogwatch-agent.service', import.meta.url))
/** Returns the command that upgrades: the installer without a token. */
const UPGRADE = (url: string) => `curl -fsSLo /tmp/i.sh ${url}/install/install.sh && sh /tmp/i.sh </dev/null`
const NAME = `it's rack "4" $(id)`

await runProof('install', LIMIT_MS, async (undo) => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) throw new Error('this needs Linux, and root for mounts')
  const world = await openWorld(undo)
  const archives = join(world.folder, 'archives')
  const made_sec = timed(() => execFileSync(process.execPath, [MAKE, '--out', archives], { stdio: 'inherit' }))
  const again_sec = timed(() => execFileSync(process.execPath, [MAKE, '--out', archives], { stdio: 'inherit' }))
  const PORT = String(await freePort())
  const url = `http://127.0.0.1:${PORT}`
  const env = { DATABASE_URL: world.url, AGENT_ARCHIVES: archives, PORT, PUBLIC_URL: url }
  const server = newServer({ env, onEnd: (fault) => world.ends.push(fault) }, undo)
  await server.start()
  const org = await openOrg(world.deps, 'o')
  await org.addChecks([{ name: 'site', url: (await openSite(undo)).urlOf(''), interval_sec: 1 }])
  const root = makeRoot(join(world.folder, 'root'))
  const machine = { world, token: org.enrollment_token, root, url, faults: world.ends }

  const first_sec = await installAndRun(machine)
  await checkWrongChecksum(machine, archives)
  const kept = await upgradeWhileAway(machine, archives, server)
  uninstall(machine)
  judgeUnit(machine)
  await judgeContainerfile(machine)
  const archive = await runServerArchive(world, archives)
  const faults = [...machine.faults, ...archive.faults]
  const figures = [
    `archive made in ${made_sec.toFixed(1)} s (${again_sec.toFixed(1)} s when nothing changed)`,
    `first result ${first_sec.toFixed(1)} s after the command began; ${kept} results outlived the upgrade`,
    ...archive.figures,
    'left out: a real systemd (its unit is verified, and a stand-in for systemctl is called), a container engine (the file is linted)',
  ]
  return { figures, faults }
})

interface Machine {
  world: World
  /** Enrollment token. */
  token: string
  root: string
  url: string
  faults: string[]
}

function timed(work: () => void): number {
  const began = performance.now()
  work()
  return (performance.now() - began) / 1000
}

/** Runs commands in the machine. Returns their output. */
function type({ root, faults }: Machine, commands: string, { mayFail = false } = {}): string {
  const [program = '', ...args] = within(root, ['/bin/sh', '-c', commands])
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', env: {}, timeout: 120_000 })
  const said = `${stdout}${stderr}`
  process.stdout.write(said.replace(/^(?=.)/gm, '    '))
  if (status !== 0 && !mayFail)
    faults.push(`it ended with ${String(status)}: ${commands.split('\n')[0] ?? ''}: ${said}`)
  return said
}

/** Runs the commands of the page, and then the command that the installer prints. Returns the seconds until the first result. */
async function installAndRun(machine: Machine): Promise<number> {
  const { world, url, faults, root, token } = machine
  const place = { name: NAME, region: 'eu', country: 'DE', city: 'Kiel' }
  const began = performance.now()
  const said = type(machine, installerCommands({ ...place, public_url: url, token }))
  if (!/enrolled as monitor \w+; the first sync succeeded with 1 check/.test(said))
    faults.push('it did not say that it synced')
  if (!said.includes('    /opt/dogwatch-agent/run\n')) faults.push('it did not say what to run')
  const [monitor] = await query<{ name: string }>(world.deps, 'select name from monitors')
  if (monitor?.name !== NAME) faults.push(`the monitor is called ${String(monitor?.name)}`)
  const folders = ['etc', 'opt', 'tmp', 'usr/local', 'var'].map((path) => join(root, path))
  const { stdout: found } = spawnSync('grep', ['-rlsF', token, ...folders], { encoding: 'utf8' })
  if (found !== '') faults.push(`the token is on disk: ${found}`)
  const agent = run(machine)
  if (!(await until(async () => (await count(world)) > 0, SOON_MS))) faults.push('there is no result')
  const first_sec = (performance.now() - began) / 1000
  const owner = execFileSync('ps', ['-o', 'uid=', '-p', String(pidOf(agent))], { encoding: 'utf8' }).trim()
  if (owner === '0') faults.push('the agent runs as root')
  await end(agent)
  return first_sec
}

/** Starts the command that the installer prints. */
function run({ root, world }: Machine): ChildProcess {
  const [program = '', ...args] = within(root, ['/opt/dogwatch-agent/run', '--connectivity', 'off'])
  const agent = spawn(program, args, { stdio: 'ignore', env: {} })
  world.undo(() => end(agent))
  return agent
}

/** Returns the process that is 1 in the machine. */
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

function count({ deps }: World): Promise<number> {
  return numberOf(deps, 'select count(*) from results')
}

/** Requires that the installer refuses an archive with a wrong checksum, and keeps what is installed. */
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

interface ListedArchive {
  file: string
  size: number
  sha256: string
}

function readArchives(folder: string): {
  list: { version: string; archives: ListedArchive[] }
  archive: ListedArchive
} {
  const list = JSON.parse(readFileSync(join(folder, 'archives.json'), 'utf8')) as {
    version: string
    archives: ListedArchive[]
  }
  const [archive] = list.archives
  if (!archive) throw new Error('there is no archive')
  return { list, archive }
}

/** Upgrades after the server was away, so that results waited on disk, and the machine has got a systemd. Returns their number. */
async function upgradeWhileAway(machine: Machine, archives: string, server: Server): Promise<number> {
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
  await server.start()
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
  const between = 'select count(*) from results where ran_at > $1 and ran_at < $2'
  const kept = await numberOf(world.deps, between, away_since, back_at)
  if (kept < 3) faults.push(`only ${kept} results outlived the upgrade`)
  const monitors = await numberOf(world.deps, 'select count(*) from monitors')
  if (monitors !== 1) faults.push(`there are ${monitors} monitors`)
  await end(upgraded)
  return kept
}

/** Publishes the same archive under another version. */
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

/** Makes a systemctl that records its arguments. */
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
