// The compiler: that of TypeScript 7, which asks a quarter of the work, where npm has it for this machine; else that of the TypeScript whose
// interface tools and tests use. It takes the arguments of tsc. Plain JavaScript for any Node from 20 on.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const modules = fileURLToPath(new URL('../node_modules/', import.meta.url))

/** Its heap may grow to five times of what is in use, and checkers of its own for each processor check much of it twice. */
const FRUGAL = { GOGC: '400', GOMEMLIMIT: '2GiB' }
const FLAGS = ['--checkers', '1']

/** The words of a command, to be followed by its arguments. */
export function compiler() {
  const folder = join(modules, '@typescript', `typescript-${process.platform}-${process.arch}`, 'lib')
  const native = join(folder, process.platform === 'win32' ? 'tsc.exe' : 'tsc')
  return existsSync(native) ? [native] : [process.execPath, join(modules, 'typescript', 'bin', 'tsc')]
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [program, ...script] = compiler()
  const args = [...script, ...process.argv.slice(2), ...(script.length === 0 ? FLAGS : [])]
  const { status, error } = spawnSync(program, args, { env: { ...FRUGAL, ...process.env }, stdio: 'inherit' })
  if (error) process.stderr.write(`tsc: ${error.message}\n`)
  process.exitCode = status ?? 1
}
