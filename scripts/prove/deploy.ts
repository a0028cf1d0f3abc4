// Proves what can be proved of packages/server/deploy without a container engine: each file is read by the program it is for, every
// step of the Containerfile is carried out, and what comes of it runs as a container would: no rights, nothing to write to,
// process 1, behind HAProxy with its own file. What is left out is said. Needs root, and installs Debian's programs where it may.
// npm run prove -- deploy
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { validate } from 'dockerfile-utils'
import { readConfig } from '../../packages/server/dist/config.js'
import { systemRandom } from '../../packages/server/dist/runtime/random.js'
import { freePort } from '../../packages/server/dist/embedded-postgres/server.js'
import { openEmbeddedPostgres } from '../../packages/server/dist/embedded-postgres/open.js'
import { pinnedNode } from '../bootstrap.js'
import { MORTAL, requireProgram } from '../lab/debian.ts'
import { readFlags } from '../lab/proof-flags.ts'
import { type Outcome, runProof, until, type World } from '../lab/world.ts'
import { build, enter, type Image } from './deploy/build.ts'
import { copyContext } from './deploy/context.ts'

readFlags({})
const LIMIT_MS = 900_000
const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const DEPLOY = join(ROOT, 'packages/server/deploy')
/** How open a unit may be, in tenths, by `systemd-analyze security`. */
const MOST_EXPOSED = 20
const START_MS = 120_000
/** Tools that only build and test; none of them belongs into the image. */
const NOT_IN_IMAGE = ['typescript', 'jest', '@swc/core', 'turbo', 'oxlint', '@embedded-postgres', 'playwright-core']

await runProof('deploy', LIMIT_MS, prove)

async function prove(undo: World['undo']): Promise<Outcome> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) throw new Error('this needs Linux, and root for mounts')
  const folder = await mkdtemp(join(tmpdir(), 'dogwatch-deploy-proof-'))
  undo(() => rm(folder, { recursive: true, force: true }))
  await chmod(folder, 0o711)
  const lint = [...lintContainerfile(), ...lintBalancers(folder), ...lintUnits(folder), ...lintCompose(folder)]
  const context = join(folder, 'context')
  const files = copyContext(ROOT, join(DEPLOY, 'Containerfile.dockerignore'), context)
  const image = build({
    containerfile: join(DEPLOY, 'Containerfile'),
    context,
    folder,
    node: pinnedNode(),
    npm: npmFolder(),
    env: registry(),
  })
  const faults = [...lint, ...judgeImage(image), ...(await runImage(image, folder, undo))]
  const size = execFileSync('du', ['-sm', join(image.root, 'app')], { encoding: 'utf8' }).split('\t')[0] ?? ''
  const steps = 'linted: Containerfile, haproxy.cfg, nginx.conf, systemd units, compose.yaml'
  const left = 'left out: a container engine, so the base images, the compose file and the units as they start'
  return { figures: `${steps}; built of ${files} files, ${size} MB beside Node, and run; ${left}`, faults }
}

// ---- each file, by the program that it is for

function lintContainerfile(): string[] {
  const found = validate(readFileSync(join(DEPLOY, 'Containerfile'), 'utf8'))
  return found.map(({ message, range }) => `Containerfile:${range.start.line + 1}: ${JSON.stringify(message)}`)
}

function lintBalancers(folder: string): string[] {
  const haproxy = requireProgram('haproxy', '/usr/sbin/haproxy')
  const nginx = requireProgram('nginx-light', '/usr/sbin/nginx')
  const conf = join(folder, 'nginx.conf')
  const whole = `pid ${folder}/nginx.pid; error_log stderr; events {} http { access_log off; include ${DEPLOY}/nginx.conf; }\n`
  writeFileSync(conf, whole)
  return [
    ...complaints('haproxy -c', haproxy, ['-c', '-q', '-f', join(DEPLOY, 'haproxy.cfg')]),
    ...complaints('nginx -t', nginx, ['-t', '-q', '-c', conf]),
  ]
}

function lintUnits(folder: string): string[] {
  const analyze = requireProgram('systemd', '/usr/bin/systemd-analyze')
  const units = join(folder, 'units')
  mkdirSync(units)
  // It looks whether the program is there.
  const program = join(folder, 'dogwatch')
  writeFileSync(program, execFileSync(process.execPath, [join(DEPLOY, 'launcher.js')]))
  chmodSync(program, 0o755)
  const files = readdirSync(join(DEPLOY, 'systemd')).map((name) => {
    const unit = join(units, name.replace('@.', '@8081.'))
    writeFileSync(
      unit,
      readFileSync(join(DEPLOY, 'systemd', name), 'utf8').replaceAll('/usr/local/bin/dogwatch', program),
    )
    return unit
  })
  const security = (unit: string) => [
    ...['security', '--offline=true', '--no-pager', `--threshold=${MOST_EXPOSED}`, unit],
  ]
  return [
    ...complaints('systemd-analyze verify', analyze, ['verify', '--man=no', ...files]),
    ...files.flatMap((unit) =>
      complaints(`systemd-analyze security ${unit}`, analyze, security(unit), { mayTalk: true }),
    ),
    ...complaints('sh -n', '/bin/sh', ['-n', program]),
  ]
}

interface Compose {
  services: Record<string, { image?: string; environment?: Record<string, string>; command?: string[] }>
}

function lintCompose(folder: string): string[] {
  const compose = requireProgram('docker-compose', '/usr/bin/docker-compose')
  const file = join(folder, 'compose.yaml')
  // The one key that Debian's older docker-compose does not know.
  writeFileSync(file, readFileSync(join(DEPLOY, 'compose.yaml'), 'utf8').replace(/^name: .*\n/m, ''))
  const { status, stdout, stderr } = spawnSync(compose, ['-f', file, 'config'], { encoding: 'utf8' })
  if (status !== 0) return [`docker-compose config: ${stderr.trim()}`]
  const json = execFileSync(
    'python3',
    ['-c', 'import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)'],
    {
      input: stdout,
      encoding: 'utf8',
    },
  )
  return Object.entries((JSON.parse(json) as Compose).services).flatMap(([name, { image = '', environment = {} }]) => [
    ...(image === 'dogwatch' ? settingsFaults(name, environment) : isPinned(image) ? [] : [`${name}: ${image} floats`]),
  ])
}

/** The server itself reads what it would be given. */
function settingsFaults(name: string, environment: Readonly<Record<string, string>>): string[] {
  try {
    readConfig(environment, '/none')
    return []
  } catch (error) {
    return [`${name}: ${String(error)}`]
  }
}

function isPinned(image: string): boolean {
  return /:\d+\.\d+(\.\d+)?(-\w+)?$/.test(image)
}

function complaints(what: string, program: string, args: readonly string[], { mayTalk = false } = {}): string[] {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  const said = `${stdout}${stderr}`.trim()
  return status === 0 && (mayTalk || said === '') ? [] : [`${what} ended with ${String(status)}: ${said}`]
}

// ---- the image

function npmFolder(): string {
  const beside = (path: string) => join(path, 'lib/node_modules/npm')
  const found = ['/usr', '/usr/local', join(process.execPath, '../..')].map(beside).find((path) => existsSync(path))
  if (found === undefined) throw new Error('npm is not found')
  return found
}

/** Where npm finds its registry here, whoever runs it. */
function registry(): Record<string, string> {
  const url = execFileSync('npm', ['config', 'get', 'registry'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const passed = Object.entries(process.env).filter(([name]) => /^(https?|no)_proxy$/i.test(name))
  return {
    ...Object.fromEntries(passed as [string, string][]),
    npm_config_registry: url.trim(),
    npm_config_cache: '/tmp/npm-cache',
    npm_config_update_notifier: 'false',
    // Whom this machine trusts.
    NODE_EXTRA_CA_CERTS: '/etc/ssl/certs/ca-certificates.crt',
  }
}

function judgeImage({ root, user, entrypoint, healthcheck, ports }: Image): string[] {
  const modules = join(root, 'app/node_modules')
  const written = execFileSync('find', [join(root, 'app'), '!', '-user', 'root'], { encoding: 'utf8' })
  return [
    ...NOT_IN_IMAGE.filter((name) => existsSync(join(modules, name))).map((name) => `${name} is in the image`),
    ...(user === 'root' ? ['it runs as root'] : []),
    ...(written === '' ? [] : ['its files belong to who runs it']),
    ...(entrypoint.length > 0 && healthcheck.length > 0 && ports.length === 2 ? [] : ['something is not said of it']),
  ]
}

interface Container {
  child: ChildProcess
  env: Record<string, string>
  lines: string[]
}

/** Migrates, and runs two web processes and a worker behind HAProxy, one of which leaves under requests. */
async function runImage(image: Image, folder: string, undo: World['undo']): Promise<string[]> {
  const options = { dataDir: join(folder, 'data'), random: systemRandom, throwaway: true, remove: true }
  const postgres = await openEmbeddedPostgres(options)
  undo(() => postgres.stop())
  const secret = join(image.root, 'database-url')
  writeFileSync(secret, `${postgres.url}\n`)
  chmodSync(secret, 0o644)
  const run = (words: readonly string[], env: Record<string, string> = {}) => start(image, words, env, undo)
  const migrating = run(['migrate'])
  const [code] = (await once(migrating.child, 'exit')) as [number | null]
  if (code !== 0) return [`migrate ended with ${String(code)}`]

  const web = async () =>
    run(['serve', '--role', 'web'], { PORT: `${await freePort(0)}`, METRICS_PORT: `${await freePort(0)}` })
  const [first, second] = [await web(), await web()]
  const worker = run(['serve', '--role', 'worker'], { METRICS_PORT: `${await freePort(0)}` })
  const all = { first, second, worker }
  for (const [name, { env }] of Object.entries(all)) {
    if (!(await until(() => isHealthy(image, env), START_MS))) return [`the ${name} process is not healthy`]
  }
  const faults = [
    ...(await judgeReady(all)),
    ...(await judgeBehindHaproxy(first, second, undo)),
    ...(isHealthy(image, { ...worker.env, METRICS_PORT: '1' })
      ? ['the health check says so of what is not there']
      : []),
  ]
  for (const [name, { child }] of Object.entries({ second, worker })) {
    const ended = once(child, 'exit')
    signal(child)
    const [end] = (await ended) as [number | null]
    if (end !== 0) faults.push(`SIGTERM ended the ${name} process with ${String(end)}`)
  }
  return faults
}

/** As a container engine would, with the image's own entry and environment. */
function start(image: Image, words: readonly string[], given: Record<string, string>, undo: World['undo']): Container {
  const env = {
    ...environmentOf(image),
    HOST: '127.0.0.1',
    METRICS_HOST: '127.0.0.1',
    TRUST_PROXY: '127.0.0.1',
    ...given,
  }
  const [wrapper = '', ...args] = [...MORTAL, ...enter(image, { isReadOnly: true }), ...image.entrypoint, ...words]
  const child = spawn(wrapper, args, { cwd: '/', env, stdio: ['ignore', 'pipe', 'inherit'] })
  undo(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    signal(child, 'SIGKILL')
    await ended
  })
  const lines: string[] = []
  createInterface(child.stdout).on('line', (line) => void lines.push(line))
  return { child, env, lines }
}

function environmentOf({ env }: Image): Record<string, string> {
  const own = { DATABASE_URL_FILE: '/database-url', ADDRESS_RATE_LIMIT: 'off', DRAIN_SEC: '3', LOG_LEVEL: 'warn' }
  return { PATH: '/usr/local/bin:/usr/bin:/bin', ...env, ...own }
}

/** To the process that is 1 inside: what was spawned here only waits for it. */
function signal({ pid }: ChildProcess, which: NodeJS.Signals = 'SIGTERM'): void {
  const inside = execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' }).trim()
  process.kill(Number(inside.split('\n')[0]), which)
}

function isHealthy(image: Image, env: Readonly<Record<string, string>>): boolean {
  const [program = '', ...args] = [...enter(image, { isReadOnly: true }), ...image.healthcheck]
  return spawnSync(program, args, { cwd: '/', env, stdio: 'ignore' }).status === 0
}

async function judgeReady(all: Readonly<Record<string, Container>>): Promise<string[]> {
  const faults: string[] = []
  for (const [name, { env }] of Object.entries(all)) {
    for (const path of ['/healthz', '/readyz']) {
      const { status } = await fetch(`http://127.0.0.1:${env.METRICS_PORT ?? ''}${path}`)
      if (status !== 200) faults.push(`${path} of the ${name} process is ${status}`)
    }
  }
  return faults
}

async function judgeBehindHaproxy(first: Container, second: Container, undo: World['undo']): Promise<string[]> {
  const port = await freePort(0)
  const [wrapper = '', ...args] = MORTAL
  const haproxy = spawn(wrapper, [...args, '/usr/sbin/haproxy', '-db', '-f', join(DEPLOY, 'haproxy.cfg')], {
    env: {
      LISTEN: `127.0.0.1:${port}`,
      WEB1: `127.0.0.1:${first.env.PORT ?? ''}`,
      WEB2: `127.0.0.1:${second.env.PORT ?? ''}`,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  undo(async () => void haproxy.kill('SIGKILL'))
  const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined)
  const ping = '/monitor-api/v1/ping'
  if (!(await until(async () => (await get(ping))?.status === 401, START_MS))) return ['nothing answers behind HAProxy']
  const faults: string[] = []
  for (const path of ['/healthz', '/readyz']) {
    const status = (await get(path))?.status
    if (status !== 404) faults.push(`${path} is shown to the public: ${String(status)}`)
  }
  const ended = once(first.child, 'exit') as Promise<[number | null]>
  signal(first.child)
  let hasEnded = false
  void ended.then(() => (hasEnded = true))
  let asked = 0
  while (!hasEnded) {
    const status = (await get(ping))?.status
    asked++
    if (status !== 401) faults.push(`while one process leaves, request ${asked} is ${String(status)}`)
  }
  const [code] = await ended
  if (code !== 0) faults.push(`SIGTERM ended it with ${String(code)}`)
  if (asked < 10) faults.push(`it left within ${asked} requests, DRAIN_SEC or not`)
  return faults
}
