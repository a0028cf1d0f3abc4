// Debian programs that a proof needs: they are installed where they are missing, with a message.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** The first of these paths that exists, after an installation of `name` if necessary. */
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
    // A machine made from an image often has no package lists yet.
    apt('update')
    apt('install', name)
  }
  const found = find()
  if (found === undefined) throw new Error(`Debian's ${name} has put nothing where it was looked for`)
  return found
}

/** Starts a program so that it ends with us, however we end. */
export const MORTAL = ['/usr/bin/setpriv', '--pdeathsig', 'KILL', '--']
