// A network link that can be cut: a network namespace for the proof, one for the agent, and a veth pair between them.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** Addresses that are anybody's on the Internet. In here nobody is behind them but us. */
const NEAR = '45.0.0.2'
const GATEWAY = '45.0.0.1'
export const FAR_NET = '45.0.1'
/** An address that nobody answers, without any error. */
export const NOBODY = '45.0.2.9'

/** How the link is cut: our end goes down, the other end does (like an unplugged cable), or packets vanish silently. */
export type Cut = 'near end down' | 'far end down' | 'packets lost'

export interface Link {
  cut(how: Cut): void
  mend(how: Cut): void
}

const INSIDE = '--inside'

/** Runs the script again within a namespace of its own, and then returns true. False when it is done, or cannot be. */
export async function enterNamespace(name: string, script: string): Promise<boolean> {
  if (process.argv.includes(INSIDE)) {
    openFarEnd()
    return true
  }
  const why = whyNot()
  if (why !== undefined) {
    process.stdout.write(`${name}: skipped: ${why}\n`)
    return false
  }
  const args = [...process.execArgv, fileURLToPath(script), ...process.argv.slice(2), INSIDE]
  const child = spawn('unshare', ['--net', process.execPath, ...args], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
  const [code] = (await once(child, 'exit')) as [number | null]
  process.exitCode = code ?? 1
  return false
}

function whyNot(): string | undefined {
  if (process.platform !== 'linux') return 'there are no network namespaces but on Linux'
  if (process.getuid?.() !== 0) return 'only root may make a network namespace'
  try {
    run('unshare', '--net', '--mount', 'ip', 'link', 'add', 'far', 'type', 'veth', 'peer', 'name', 'near')
    run('nsenter', '--version')
    return undefined
  } catch (error) {
    return `a network namespace with a veth pair cannot be made here: ${String(error).split('\n')[0]}`
  }
}

/**
 * What starts a program in a network of its own, in whose eyes that file is /etc/resolv.conf; it waits there for a line on
 * its standard input.
 */
export function held(resolv_conf: string): string[] {
  const script = 'mount --bind "$0" /etc/resolv.conf && read go && exec "$@"'
  return ['unshare', '--net', '--mount', 'sh', '-c', script, resolv_conf]
}

/** Our end. Everything in FAR_NET is here. */
function openFarEnd(): void {
  run('ip', 'link', 'set', 'lo', 'up')
  run('ip', 'link', 'add', 'far', 'type', 'veth', 'peer', 'name', 'near')
  run('ip', 'address', 'add', `${GATEWAY}/30`, 'dev', 'far')
  run('ip', 'link', 'set', 'far', 'up')
  run('ip', 'route', 'add', 'local', `${FAR_NET}.0/24`, 'dev', 'lo')
}

/** Joins a program that is held to our end, and lets it go. */
export async function join(child: ChildProcess): Promise<Link> {
  const pid = String(child.pid)
  const near = (...args: string[]) => run('nsenter', '--target', pid, '--net', 'ip', ...args)
  const route = () => near('route', 'add', 'default', 'via', GATEWAY)
  await moveTo(pid)
  near('link', 'set', 'lo', 'up')
  near('address', 'add', `${NEAR}/30`, 'dev', 'near')
  near('link', 'set', 'near', 'up')
  route()
  child.stdin?.write('go\n')
  const cuts: Record<Cut, () => void> = {
    'near end down': () => near('link', 'set', 'near', 'down'),
    'far end down': () => run('ip', 'link', 'set', 'far', 'down'),
    // Answers that reach our end have nowhere to go.
    'packets lost': () => run('ip', 'route', 'add', 'blackhole', NEAR),
  }
  const mends: Record<Cut, () => void> = {
    'near end down': () => {
      near('link', 'set', 'near', 'up')
      route()
    },
    'far end down': () => run('ip', 'link', 'set', 'far', 'up'),
    'packets lost': () => run('ip', 'route', 'del', 'blackhole', NEAR),
  }
  return { cut: (how) => cuts[how](), mend: (how) => mends[how]() }
}

/** The namespace of a program is there a moment after the program is. */
async function moveTo(pid: string): Promise<void> {
  const own = run('readlink', '/proc/self/ns/net')
  while (run('readlink', `/proc/${pid}/ns/net`) === own) await new Promise((resolve) => setTimeout(resolve, 10))
  run('ip', 'link', 'set', 'near', 'netns', pid)
}

function run(program: string, ...args: string[]): string {
  return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}
