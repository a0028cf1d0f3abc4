// Makes a root of a machine that has only a shell, curl, tar and the core utilities with their libraries, and no Node.
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const PROGRAMS = ['dash', 'curl', 'tar', 'gzip', 'sed', 'grep', 'useradd', 'userdel', 'setpriv']
/** Libraries that programs load by name. */
const LOADED =
  'libnss_files.so.2 libnss_dns.so.2 libstdc++.so.6 libgcc_s.so.1 libdl.so.2 libpthread.so.0 libm.so.6 libatomic.so.1'.split(
    ' ',
  )
const FOLDERS = 'usr/bin usr/sbin usr/lib usr/lib64 usr/local/bin etc opt var/lib proc dev tmp root run'.split(' ')

export function makeRoot(root: string): string {
  for (const path of FOLDERS) mkdirSync(join(root, path), { recursive: true })
  for (const path of ['bin', 'sbin', 'lib', 'lib64']) symlinkSync(`usr/${path}`, join(root, path))
  const core = execFileSync('dpkg', ['-L', 'coreutils'], { encoding: 'utf8' })
  const utilities = core.split('\n').filter((path) => /^(\/usr)?\/s?bin\/./.test(path))
  const programs = [...utilities, ...PROGRAMS.map((name) => which(name))]
  for (const path of programs) bring(root, path)
  symlinkSync('dash', join(root, 'usr/bin/sh'))
  for (const name of LOADED) {
    const path = libraryPath(name)
    if (path !== undefined) bring(root, path)
  }
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\n')
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\n')
  writeFileSync(join(root, 'etc/hosts'), '127.0.0.1 localhost\n')
  writeFileSync(join(root, 'etc/nsswitch.conf'), 'passwd: files\ngroup: files\nhosts: files dns\n')
  if (existsSync(join(root, 'usr/bin/node'))) throw new Error('there is a Node in it')
  return root
}

/** Returns the words that run a command as root of the machine, on the network of this one. */
export function within(root: string, command: readonly string[]): string[] {
  const mounts = [
    'mount --make-rprivate /',
    'mount --rbind "$1" "$1"',
    'mount -t proc proc "$1/proc"',
    'mount --rbind /dev "$1/dev"',
  ]
  const script = [...mounts, 'root=$1', 'shift', 'exec /usr/sbin/chroot "$root" "$@"'].join(' && ')
  const env = ['/usr/bin/env', '-i', 'PATH=/usr/local/bin:/usr/bin:/usr/sbin', 'HOME=/root']
  const inside = ['/bin/sh', '-euc', script, 'sh', root, ...env]
  return ['/usr/bin/unshare', '--mount', '--pid', '--fork', '--kill-child', ...inside, ...command]
}

function which(name: string): string {
  return execFileSync('sh', ['-c', 'PATH="$PATH:/usr/sbin:/sbin"; command -v "$1"', 'sh', name], {
    encoding: 'utf8',
  }).trim()
}

function libraryPath(name: string): string | undefined {
  const listed = execFileSync('/sbin/ldconfig', ['-p'], { encoding: 'utf8' })
  return listed
    .split('\n')
    .find((line) => line.trim().startsWith(`${name} `))
    ?.split(' => ')[1]
}

/** Copies a program or library to the same path, with the libraries that it names. */
function bring(root: string, path: string): void {
  const place = join(root, path)
  if (existsSync(place)) return
  mkdirSync(dirname(place), { recursive: true })
  copyFileSync(realpathSync(path), place)
  let needs = ''
  try {
    needs = execFileSync('ldd', [path], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  } catch {
    // A script, or a program without libraries.
  }
  for (const [, library = ''] of needs.matchAll(/(?:=> )?(\/\S+) \(0x/g)) bring(root, library)
}
