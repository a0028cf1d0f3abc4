// Builds the Containerfile with Debian's buildah. Makes the base image from programs of this machine and the pinned Node, because
// the official image cannot be downloaded everywhere.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pinnedNode } from '../../bootstrap.js'
import { requireProgram } from '../../lab/debian.ts'
import type { Undo } from '../../lab/proof.ts'
import { makeRoot, type Root } from '../../lab/root.ts'

export interface Image {
  readonly root: Root
  readonly config: {
    User: string
    WorkingDir: string
    Env: string[]
    Entrypoint: string[]
    ExposedPorts: object
    Healthcheck: { Test: string[] }
  }
}

const CHECKOUT = fileURLToPath(new URL('../../../', import.meta.url))
const CONTAINERFILE = 'packages/server/deploy/Containerfile'
const BASE = 'localhost/node'
/** Pattern for variables of this machine that npm needs during the build, such as the URL of its registry. */
const OF_NPM = /^(npm_config_registry|NODE_EXTRA_CA_CERTS|(https?|no)_proxy)$/i

export function buildImage(folder: string, undo: Undo): Image {
  const buildah = requireProgram('buildah', '/usr/bin/buildah')
  const store = ['--root', join(folder, 'store'), '--runroot', join(folder, 'run'), '--storage-driver', 'vfs']
  const run = (...words: string[]) =>
    execFileSync(buildah, [...store, ...words], {
      ...{ cwd: CHECKOUT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 1e8 },
      env: { ...process.env, BUILDAH_ISOLATION: 'chroot' },
    }).trim()
  undo(() => run('umount', '--all'))
  const shared = readdirSync('/usr').flatMap((name) => (name === 'local' ? [] : [`usr/${name}`]))
  const mounts = shared.flatMap((path) => ['--volume', `/${path}:/${path}:ro`])
  const base = run('from', 'scratch')
  run('copy', '--quiet', base, makeBase(join(folder, 'base'), shared), '/')
  const npm = Object.entries(process.env).filter(([name]) => OF_NPM.test(name))
  const variables = [['PATH', '/usr/local/bin:/usr/bin:/bin'], ...npm].flatMap(([name, is]) => [
    '--env',
    `${name}=${is}`,
  ])
  run('config', ...variables, base)
  run('commit', '--quiet', base, BASE)
  const how = [
    '--format',
    'docker',
    '--layers=false',
    '--pull-never',
    '--network',
    'host',
    '--build-arg',
    `NODE_IMAGE=${BASE}`,
  ]
  run('bud', '--quiet', ...how, ...mounts, '--file', CONTAINERFILE, '--tag', 'dogwatch', '.')
  const { Docker } = JSON.parse(run('inspect', '--type', 'image', 'dogwatch')) as { Docker: Pick<Image, 'config'> }
  return { root: { path: run('mount', run('from', 'dogwatch')), shared }, config: Docker.config }
}

/** Makes the files of the base image, and puts Node and npm where the official image has them. */
function makeBase(path: string, shared: readonly string[]): string {
  makeRoot(path, shared, ['etc/ssl', 'etc/ca-certificates'])
  const npm = ['/usr', '/usr/local']
    .map((prefix) => join(prefix, 'lib/node_modules/npm'))
    .find((one) => existsSync(one))
  if (npm === undefined) throw new Error('npm is not found')
  execFileSync('cp', ['-L', pinnedNode(), join(path, 'usr/local/bin/node')])
  execFileSync('cp', ['-RL', npm, join(path, 'usr/local/lib/node_modules/npm')])
  execFileSync('ln', ['-s', '../lib/node_modules/npm/bin/npm-cli.js', join(path, 'usr/local/bin/npm')])
  return path
}
