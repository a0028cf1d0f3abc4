// Programs of Debian that a proof needs: installed where they are missing, which is said.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** The first of these paths that is there, after an installation of `name` if need be. */
export function requireProgram(name: string, ...paths: readonly string[]): string {
  const find = () => paths.find((path) => existsSync(path))
  return find() ?? install(name, find)
}

function install(name: string, find: () => string | undefined): string {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    throw new Error(`this needs ${name}, which is not installed: apt-get install ${name}`)
  }
  process.stdout.write(`installing Debian's ${name}\n`)
  const apt = (...args: string[]) =>
    execFileSync('apt-get', ['-q', '-y', ...args], {
      stdio: 'ignore',
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    })
  try {
    apt('install', name)
  } catch {
    // A machine made of an image often has no lists of packages yet.
    apt('update')
    apt('install', name)
  }
  const found = find()
  if (found === undefined) throw new Error(`Debian's ${name} has put nothing where it was looked for`)
  return found
}

/** What starts a program so that it ends with us, however we end. */
export const MORTAL = ['/usr/bin/setpriv', '--pdeathsig', 'KILL', '--']
