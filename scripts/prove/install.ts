// Proves that a machine with only a shell, curl, tar and the core utilities becomes a monitor by the command of the page, is upgraded without
// losing unsent results, and is rid of the agent again. The machine is a root of its own without Node. Then the archive of the server runs in an
// empty folder. Needs Linux, and root for mounts.
// npm run prove -- install
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { validate } from 'dockerfile-utils'
import { installerCommands } from '../../packages/console/dist/pages/monitors/commands.js'
import { openSite } from '../lab/clients/site.ts'
import { freePort, readFlags, runProof, until } from '../lab/proof.ts'
import { makeRoot, type Resident, type Root, runIn, startIn } from '../lab/root.ts'
import { newServer, type Server } from '../lab/server.ts'
import { numberOf, openOrg, openWorld, query, type World } from '../lab/world.ts'
import { runServerArchive } from './install/server-archive.ts'

readFlags({})
const [SOON_MS, AWAY_MS] = [60_000, 6_000]
const MAKE = fileURLToPath(new URL('../../packages/agent/packaging/make.ts', import.meta.url))
const PROGRAMS = ['dash', 'curl', 'tar', 'gzip', 'sed', 'grep', 'useradd', 'userdel', 'setpriv']
const WAY = { env: { PATH: '/usr/local/bin:/usr/bin:/usr/sbin', HOME: '/root' } }
const NAME = `it's rack "4" $(id)`
const PLACE = { region: 'eu', country: 'DE', city: 'Kiel' }
const COUNT = 'select count(*) from results'

await runProof('install', 420_000, async (undo) => {
  const world = await openWorld(undo)
  const archives = join(world.folder, 'archives')
  execFileSync(process.execPath, [MAKE, '--out', archives], { stdio: 'inherit' })
  const PORT = String(await freePort())
  const url = `http://127.0.0.1:${PORT}`
  const env = { DATABASE_URL: world.url, AGENT_ARCHIVES: archives, PORT, PUBLIC_URL: url }
  const server = newServer({ env, onEnd: (fault) => world.ends.push(fault) }, undo)
  await server.start()
  const org = await openOrg(world.deps, 'o')
  await org.addChecks([{ name: 'site', url: (await openSite(undo)).urlOf(''), interval_sec: 1 }])
  const machine: Machine = { world, root: makeMachine(join(world.folder, 'root')), url, faults: world.ends }

  const first_sec = await installAndRun(machine, org.enrollment_token)
  const kept = await upgradeWhileAway(machine, archives, server)
  uninstall(machine)
  const containerfile = await (await fetch(`${url}/install/Containerfile`)).text()
  const complaints = validate(containerfile).map(
    ({ message, range }) => `${range.start.line + 1}: ${JSON.stringify(message)}`,
  )
  const archive = await runServerArchive(world, archives)
  return {
    faults: [...machine.faults, ...archive.faults, ...complaints.map((text) => `Containerfile:${text}`)],
    figures: [
      `first result ${first_sec.toFixed(1)} s after the command began; ${kept} results outlived the upgrade`,
      ...archive.figures,
      'left out: a real systemd (a stand-in for systemctl is called), a container engine (the file is linted)',
    ],
  }
})

interface Machine {
  world: World
  root: Root
  url: string
  faults: string[]
}

/** Makes the root of a machine with only the permitted programs, and with the libraries of this machine. */
function makeMachine(path: string): Root {
  const core = execFileSync('dpkg', ['-L', 'coreutils'], { encoding: 'utf8' }).match(/(?<=^(?:\/usr)?\/s?bin\/).+$/gm)
  const found = [...(core ?? []), ...PROGRAMS].flatMap((name) =>
    ['usr/bin', 'usr/sbin'].map((folder) => join(folder, name)).filter((file) => existsSync(join('/', file))),
  )
  const root = makeRoot(path, ['usr/lib', 'usr/lib64'], found)
  execFileSync('ln', ['-s', 'dash', join(path, 'usr/bin/sh')])
  return root
}

/** Runs shell commands in the machine. Returns their output. */
function type({ root, faults }: Machine, commands: string): string {
  const { status, said } = runIn(root, WAY, '/bin/sh', '-c', commands)
  process.stdout.write(said.replace(/^(?=.)/gm, '    '))
  if (status !== 0) faults.push(`it ended with ${String(status)}: ${commands.split('\n')[0] ?? ''}: ${said}`)
  return said
}

/** Runs the installer without a token, so that it upgrades the agent. */
function upgrade(machine: Machine, flags = ''): string {
  return type(machine, `curl -fsSLo /tmp/i.sh ${machine.url}/install/install.sh && sh /tmp/i.sh ${flags} </dev/null`)
}

/** Starts the agent with the command that the installer printed. */
function run({ root, world }: Machine): Resident {
  return startIn(root, WAY, world.undo, '/opt/dogwatch-agent/run', '--connectivity', 'off')
}

/**
 * Runs the commands of the page that adds a monitor, and then the command that the installer prints. Returns the seconds until
 * the first result.
 */
async function installAndRun(machine: Machine, token: string): Promise<number> {
  const { world, url, faults, root } = machine
  const began = performance.now()
  const said = type(machine, installerCommands({ ...PLACE, name: NAME, public_url: url, token }))
  if (!/enrolled as monitor \w+; the first sync succeeded with 1 check/.test(said))
    faults.push('it did not say that it synced')
  if (!said.includes('    /opt/dogwatch-agent/run\n')) faults.push('it did not say what to run')
  const [monitor] = await query<{ name: string }>(world.deps, 'select name from monitors')
  if (monitor?.name !== NAME) faults.push(`the monitor is called ${String(monitor?.name)}`)
  const folders = ['etc', 'opt', 'tmp', 'usr/local', 'var'].map((path) => join(root.path, path))
  const { stdout: found } = spawnSync('grep', ['-rlsF', token, ...folders], { encoding: 'utf8' })
  if (found !== '') faults.push(`the token is on disk: ${found}`)
  const agent = run(machine)
  if (!(await until(async () => (await numberOf(world.deps, COUNT)) > 0, SOON_MS))) faults.push('there is no result')
  const first_sec = (performance.now() - began) / 1000
  if (statSync(`/proc/${agent.pid()}`).uid === 0) faults.push('the agent runs as root')
  await agent.stop()
  return first_sec
}

/**
 * Upgrades the agent after the server was unreachable, so that results wait on disk. In the meantime, the machine gets a systemd.
 * Returns the number of waiting results.
 */
async function upgradeWhileAway(machine: Machine, archives: string, server: Server): Promise<number> {
  const { world, faults, root } = machine
  const { deps } = world
  const agent = run(machine)
  const before = await numberOf(deps, COUNT)
  await until(async () => (await numberOf(deps, COUNT)) > before, SOON_MS)
  await server.stop()
  const [stored, away_since] = [await numberOf(deps, COUNT), new Date()]
  await pause(AWAY_MS)
  await agent.stop()
  publishNext(archives)
  const back_at = new Date()
  await server.start()
  standInForSystemd(root)
  const said = upgrade(machine)
  if (!said.includes('version 9.9.9 is installed and runs as the service'))
    faults.push('it did not say that it upgraded')
  const called = readFileSync(join(root.path, 'run/systemd/called'), 'utf8')
  if (!/stop dogwatch-agent\ndaemon-reload\nenable dogwatch-agent\nrestart dogwatch-agent\n$/.test(called))
    faults.push(`systemctl was called so: ${called}`)
  if (!existsSync(join(root.path, 'etc/systemd/system/dogwatch-agent.service'))) faults.push('there is no unit')
  if (!type(machine, 'dogwatch-agent --version').startsWith('9.9.9')) faults.push('the command is not the new one')
  const upgraded = run(machine)
  await until(async () => (await numberOf(deps, COUNT)) >= stored + 4, SOON_MS)
  const kept = await numberOf(deps, `${COUNT} where ran_at > $1 and ran_at < $2`, away_since, back_at)
  if (kept < 3) faults.push(`only ${kept} results outlived the upgrade`)
  const monitors = await numberOf(deps, 'select count(*) from monitors')
  if (monitors !== 1) faults.push(`there are ${monitors} monitors`)
  await upgraded.stop()
  return kept
}

/** Publishes the same archive under another version. */
function publishNext(archives: string): void {
  const file = join(archives, 'archives.json')
  const { version, archives: listed } = JSON.parse(readFileSync(file, 'utf8')) as {
    version: string
    archives: { file: string }[]
  }
  const [archive] = listed
  if (!archive) throw new Error('there is no archive')
  const script = `mkdir next && tar -xzf "$1" -C next && sed -i 's/"'"$2"'"/"9.9.9"/g' next/*/lib/main.js &&
    echo 9.9.9 >"$(echo next/*)/VERSION" && tar -czf next.tar.gz -C next "$(ls next)"`
  execFileSync('sh', ['-euc', script, 'sh', archive.file, version], { cwd: archives })
  const bytes = readFileSync(join(archives, 'next.tar.gz'))
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const next = { ...archive, file: 'next.tar.gz', size: bytes.length, sha256 }
  writeFileSync(file, JSON.stringify({ version: '9.9.9', archives: [next] }))
}

/** Makes a program `systemctl` that only records its arguments. */
function standInForSystemd({ path }: Root): void {
  for (const folder of ['run', 'etc']) mkdirSync(join(path, folder, 'systemd/system'), { recursive: true })
  const script = '#!/bin/sh\necho "$*" >> /run/systemd/called\n'
  writeFileSync(join(path, 'usr/bin/systemctl'), script, { mode: 0o755 })
}

function uninstall(machine: Machine): void {
  const { root, faults } = machine
  const isThere = (path: string) => existsSync(join(root.path, path))
  type(machine, 'dogwatch-agent uninstall')
  if (!isThere('var/lib/dogwatch-agent/identity.json')) faults.push('uninstall deleted the identity')
  upgrade(machine, '--region eu --country DE --city Kiel')
  type(machine, 'dogwatch-agent uninstall --purge')
  const paths = [
    ...['opt/dogwatch-agent', 'usr/local/bin/dogwatch-agent', 'etc/dogwatch-agent.env', 'var/lib/dogwatch-agent'],
    'etc/systemd/system/dogwatch-agent.service',
  ]
  faults.push(...paths.filter(isThere).map((path) => `/${path} is left after uninstall --purge`))
  if (readFileSync(join(root.path, 'etc/passwd'), 'utf8').includes('dogwatch')) faults.push('the user is left')
}
