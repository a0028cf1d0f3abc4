// Runs one of a folder of scripts by its name, or all of them in turn.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Exits with the status of the script; with 2 when the name is missing or unknown, after listing the names. */
export async function runNamed(folder: 'bench' | 'prove', args: readonly string[]): Promise<void> {
  const [wanted, ...rest] = args
  const names = scriptsIn(folder)
  const chosen = wanted === 'all' ? names : names.filter((name) => name === wanted)
  if (chosen.length === 0) {
    process.stderr.write(`npm run ${folder} -- NAME|all, where NAME is one of: ${names.join(', ') || '(none yet)'}\n`)
    process.exitCode = 2
    return
  }
  for (const name of chosen) {
    if (chosen.length > 1) process.stdout.write(`${folder} ${name}\n`)
    const code = await runScript(pathOf(folder, name), rest)
    if (code !== 0) process.exitCode = code
  }
}

function scriptsIn(folder: string): string[] {
  const directory = fileURLToPath(new URL(`./${folder}/`, import.meta.url))
  if (!existsSync(directory)) return []
  const files = readdirSync(directory).filter((file) => file.endsWith('.ts'))
  return files.map((file) => file.slice(0, -'.ts'.length)).sort()
}

function pathOf(folder: string, name: string): string {
  return fileURLToPath(new URL(`./${folder}/${name}.ts`, import.meta.url))
}

async function runScript(file: string, args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [...process.execArgv, file, ...args], { stdio: 'inherit' })
  // The signal reaches the child as well; we only wait for its end.
  const ignore = () => {}
  const pass = (signal: NodeJS.Signals) => void child.kill(signal)
  process.on('SIGINT', ignore).on('SIGTERM', pass).on('SIGHUP', pass)
  const [code] = (await once(child, 'exit')) as [number | null]
  process.off('SIGINT', ignore).off('SIGTERM', pass).off('SIGHUP', pass)
  return code ?? 1
}
