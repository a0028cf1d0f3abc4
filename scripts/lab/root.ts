// Makes folders that are the root of a machine or a container, and runs programs in them as process 1, on the network of this machine.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { MORTAL } from './debian.ts'
import type { Undo } from './proof.ts'

export interface Root {
  readonly path: string
  /** Folders of this machine that are also in the root, read-only, such as `usr/lib`. */
  readonly shared: readonly string[]
}

const FOLDERS = ['usr/bin', 'usr/sbin', 'usr/lib', 'usr/lib64', 'usr/local/bin', 'usr/local/lib/node_modules', 'etc']
/**
 * Time after which SIGTERM is repeated, in milliseconds. It is longer than a server needs to end, because a second signal makes a
 * server end faster.
 */
const AGAIN_MS = 5000
const EMPTY = ['opt', 'var/lib', 'proc', 'dev', 'tmp', 'root', 'run']

/**
 * Makes a root with the shared folders, and with copies of other files of this machine. Only the users root and node exist in it.
 */
export function makeRoot(path: string, shared: readonly string[], copied: readonly string[]): Root {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) throw new Error('this needs Linux, and root for mounts')
  for (const folder of [...FOLDERS, ...EMPTY, ...shared]) mkdirSync(join(path, folder), { recursive: true })
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) symlinkSync(`usr/${name}`, join(path, name))
  for (const file of copied) {
    mkdirSync(dirname(join(path, file)), { recursive: true })
    cpSync(join('/', file), join(path, file), { recursive: true, dereference: true })
  }
  writeFileSync(join(path, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\n')
  writeFileSync(join(path, 'etc/group'), 'root:x:0:\nnode:x:1000:\n')
  writeFileSync(join(path, 'etc/hosts'), '127.0.0.1 localhost\n')
  writeFileSync(join(path, 'etc/nsswitch.conf'), 'passwd: files\ngroup: files\nhosts: files dns\n')
  return { path, shared }
}

export interface Way {
  env: Readonly<Record<string, string>>
  /** Whether to run the command as in a container: without privileges, and with /tmp as the only writable folder. */
  isContained?: boolean
  workdir?: string
}

/** Returns the words that run a command in a root. */
function wordsOf({ path, shared }: Root, { env, isContained = false, workdir = '/' }: Way, command: readonly string[]) {
  const mounts = [
    'mount --make-rprivate /',
    'mount --rbind "$1" "$1"',
    ...shared.map((folder) => `mount --bind -o ro "/${folder}" "$1/${folder}"`),
    'mount -t proc proc "$1/proc"',
    'mount --rbind /dev "$1/dev"',
    ...(isContained ? ['mount -o remount,bind,ro "$1" "$1"', 'mount -t tmpfs -o mode=1777 tmpfs "$1/tmp"'] : []),
  ]
  const rights = '--reuid=1000 --regid=1000 --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all'
  const inside = `cd "$0" && exec ${isContained ? `setpriv ${rights} -- ` : ''}"$@"`
  const script = [...mounts, 'root=$1', 'shift', 'exec /usr/sbin/chroot "$root" "$@"'].join(' && ')
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  return [
    ...[...MORTAL, '/usr/bin/unshare', '--mount', '--pid', '--fork', '--kill-child', '/bin/sh', '-euc', script, 'sh'],
    ...[path, '/usr/bin/env', '-i', ...variables, '/bin/sh', '-c', inside, workdir, ...command],
  ]
}

/** Runs a command with `root` as its root folder, and returns its exit status and output. Stops it after 120 s. */
export function runIn(root: Root, way: Way, ...command: readonly string[]): { status: number | null; said: string } {
  const [program = '', ...args] = wordsOf(root, way, command)
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', timeout: 120_000 })
  return { status, said: `${stdout}${stderr}` }
}

/** A program that runs as process 1 of a root. */
export interface Resident {
  /** Returns the process id on this machine, or 0 if the program does not run. */
  pid(): number
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>
  /** Ends the program with SIGTERM. Repeats the signal, because process 1 ignores one that comes too early. */
  stop(): Promise<number | null>
}

/** Starts a program in a root. */
export function startIn(root: Root, way: Way, undo: Undo, ...command: readonly string[]): Resident {
  const [program = '', ...args] = wordsOf(root, way, command)
  const child = spawn(program, args, { cwd: '/', stdio: ['ignore', 'ignore', 'inherit'] })
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  const pid = () => Number(spawnSync('pgrep', ['-P', `${child.pid}`], { encoding: 'utf8' }).stdout.split('\n')[0])
  undo(() => child.kill('SIGKILL') && ended)
  const stop = async () => {
    let isOver = false
    void ended.then(() => (isOver = true))
    while (!isOver) {
      if (pid() > 0) process.kill(pid(), 'SIGTERM')
      await Promise.race([ended, pause(AGAIN_MS)])
    }
    return ended
  }
  return { pid, ended, stop }
}
