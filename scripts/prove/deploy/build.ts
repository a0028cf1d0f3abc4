// Builds a Containerfile without a container engine: each stage in a root of its own, with this machine's userland and the pinned Node.
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, matchesGlob, posix } from 'node:path'
import { Copy, DockerfileParser, From, type Instruction } from 'dockerfile-ast'

export interface Image {
  readonly root: string
  readonly env: Readonly<Record<string, string>>
  readonly workdir: string
  readonly user: string
  readonly entrypoint: readonly string[]
  readonly healthcheck: readonly string[]
  readonly ports: readonly number[]
}

export interface BuildPlan {
  containerfile: string
  context: string
  folder: string
  /** Path of the pinned Node, which replaces that of the base image. */
  node: string
  npm: string
  /** Additional environment of the steps: the registry. */
  env: Readonly<Record<string, string>>
}

interface Stage {
  name: string
  root: string
  env: Record<string, string>
  workdir: string
  user: string
  json: Map<string, string[]>
  ports: number[]
}

const KNOWN = new Set(['ARG', 'FROM', 'WORKDIR', 'COPY', 'RUN', 'ENV', 'USER', 'EXPOSE', 'STOPSIGNAL'])
const LISTS = new Set(['ENTRYPOINT', 'CMD', 'HEALTHCHECK'])

export function build(plan: BuildPlan): Image {
  const file = DockerfileParser.parse(readFileSync(plan.containerfile, 'utf8'))
  const stages: Stage[] = []
  for (const instruction of file.getInstructions()) carryOut(instruction, stages, plan)
  const last = stages.at(-1)
  if (!last) throw new Error('the Containerfile has no stage')
  const list = (keyword: string) => last.json.get(keyword) ?? []
  return {
    ...last,
    entrypoint: list('ENTRYPOINT'),
    healthcheck: list('HEALTHCHECK'),
  }
}

function carryOut(instruction: Instruction, stages: Stage[], plan: BuildPlan): void {
  const keyword = instruction.getKeyword()
  if (!KNOWN.has(keyword) && !LISTS.has(keyword)) throw new Error(`${keyword} is not known here`)
  if (instruction instanceof From) stages.push(begin(instruction, stages.length, plan))
  const stage = stages.at(-1)
  // The name of the base image comes before the first stage.
  if (!stage) return
  const words = instruction.getArguments().map((word) => word.getValue())
  if (keyword === 'WORKDIR') inRoot(stage, (stage.workdir = posix.resolve(stage.workdir, words[0] ?? '/')))
  if (keyword === 'USER') stage.user = words[0] ?? 'root'
  if (keyword === 'EXPOSE') stage.ports.push(...words.map(Number))
  if (keyword === 'ENV') {
    for (const word of words) stage.env[word.slice(0, word.indexOf('='))] = word.slice(word.indexOf('=') + 1)
  }
  if (instruction instanceof Copy) copy(instruction, stage, stages, plan)
  if (keyword === 'RUN') run(stage, ['/bin/sh', '-c', instruction.getRawArgumentsContent() ?? ''], plan.env)
  if (LISTS.has(keyword)) {
    const [words = '[]'] = /\[.*\]$/.exec(instruction.getRawArgumentsContent() ?? '') ?? []
    const json = JSON.parse(words) as string[]
    if (json.length === 0) throw new Error(`${keyword} is not a list: signals would not reach the program`)
    stage.json.set(keyword, json)
  }
}

/** Makes a root with this machine's userland, and with Node and npm where the base image has them. */
function begin(from: From, n: number, { folder, node, npm }: BuildPlan): Stage {
  const root = join(folder, `stage-${n}`)
  const name = from.getBuildStage() ?? String(n)
  for (const path of ['usr/local/bin', 'usr/local/lib/node_modules', 'etc', 'proc', 'dev', 'tmp', 'root']) {
    mkdirSync(join(root, path), { recursive: true })
  }
  for (const path of sharedUsr()) mkdirSync(join(root, path), { recursive: true })
  for (const path of ['bin', 'sbin', 'lib', 'lib64']) symlinkSync(`usr/${path}`, join(root, path))
  chmodSync(join(root, 'tmp'), 0o1777)
  for (const path of ['resolv.conf', 'hosts', 'nsswitch.conf', 'ssl', 'ld.so.cache', 'ca-certificates']) {
    cpSync(join('/etc', path), join(root, 'etc', path), { recursive: true, dereference: true })
  }
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\n')
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\nnode:x:1000:\n')
  cpSync(node, join(root, 'usr/local/bin/node'))
  cpSync(npm, join(root, 'usr/local/lib/node_modules/npm'), { recursive: true, dereference: true })
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm'))
  return { name, root, env: {}, workdir: '/', user: 'root', json: new Map(), ports: [] }
}

/** Lists the folders of /usr except /usr/local, which belongs to the base image. */
function sharedUsr(): string[] {
  return readdirSync('/usr')
    .filter((name) => name !== 'local')
    .map((name) => `usr/${name}`)
}

function copy(instruction: Copy, stage: Stage, stages: readonly Stage[], { context }: BuildPlan): void {
  const flags = new Map(instruction.getFlags().map((flag) => [flag.getName(), flag.getValue() ?? '']))
  const from = flags.get('from')
  const source = from === undefined ? context : stages.find(({ name }) => name === from)?.root
  if (source === undefined) throw new Error(`COPY from ${from ?? ''}, which is no stage`)
  const words = instruction.getArguments().map((word) => word.getValue())
  const given = words.pop() ?? ''
  const target = inRoot(stage, posix.resolve(stage.workdir, given), given.endsWith('/') || words.length > 1)
  for (const word of words) {
    const path = join(source, word)
    // The content of a folder is copied. A file is copied into a folder, or under the given name.
    const isInto = !statSync(path).isDirectory() && (given.endsWith('/') || words.length > 1)
    const place = isInto ? join(target, basename(word)) : target
    mkdirSync(dirname(place), { recursive: true })
    cpSync(path, place, { recursive: true, verbatimSymlinks: true })
    const mode = flags.get('chmod')
    if (mode !== undefined) chmodSync(place, Number.parseInt(mode, 8))
  }
}

function inRoot({ root }: Stage, path: string, isFolder = true): string {
  const place = join(root, path)
  mkdirSync(isFolder ? place : dirname(place), { recursive: true })
  return place
}

function run(stage: Stage, command: readonly string[], env: Readonly<Record<string, string>>): void {
  const [program = '', ...args] = enter(stage, { isReadOnly: false })
  execFileSync(program, [...args, ...command], {
    cwd: '/',
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/root', ...env, ...stage.env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

/** Returns the words before a command that run it as process 1 of a root, as a container would, without rights if its user has none. */
export function enter(
  { root, workdir, user }: Pick<Image, 'root' | 'workdir' | 'user'>,
  { isReadOnly }: { isReadOnly: boolean },
): string[] {
  const mounts = [
    'mount --make-rprivate /',
    'mount --rbind "$1" "$1"',
    ...sharedUsr().map((path) => `mount --bind -o ro "/${path}" "$1/${path}"`),
    'mount -t proc proc "$1/proc"',
    'mount --rbind /dev "$1/dev"',
    ...(isReadOnly ? ['mount -o remount,bind,ro "$1" "$1"', 'mount -t tmpfs -o mode=1777 tmpfs "$1/tmp"'] : []),
  ]
  const rights = '--reuid=1000 --regid=1000 --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all'
  const become = user === 'root' ? '' : `setpriv ${rights} -- `
  const inside = `cd "$1" && shift && exec ${become}"$@"`
  const script = [...mounts, 'root=$1', 'shift', `exec /usr/sbin/chroot "$root" /bin/sh -c '${inside}' sh "$@"`].join(
    ' && ',
  )
  return ['unshare', '--mount', '--pid', '--fork', '--kill-child', '/bin/sh', '-euc', script, 'sh', root, workdir]
}

/** Copies the files of the checkout that the ignore file lets through. Returns their number. */
export function copyContext(root: string, ignoreFile: string, target: string): number {
  const rules = readFileSync(ignoreFile, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ isKept: line.startsWith('!'), glob: line.replace(/^!/, '') }))
  // The files that git would commit, without results of builds.
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root })
  const paths = listed
    .toString()
    .split('\0')
    .filter((path) => path !== '' && existsSync(join(root, path)) && isSent(path, rules))
  for (const path of paths) {
    mkdirSync(dirname(join(target, path)), { recursive: true })
    cpSync(join(root, path), join(target, path))
  }
  return paths.length
}

/** Whether the last rule that matches the path, or a folder above it, keeps it. */
function isSent(path: string, rules: readonly { isKept: boolean; glob: string }[]): boolean {
  const parts = path.split('/')
  const above = parts.map((_, n) => parts.slice(0, n + 1).join('/'))
  let isKept = true
  for (const rule of rules) if (above.some((each) => matchesGlob(each, rule.glob))) isKept = rule.isKept
  return isKept
}
