// Runs a script of this folder on the pinned Node: node scripts/run.js NAME [ARGUMENTS]. Benchmarks and proofs have folders of
// their own: node scripts/run.js bench NAME|all.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from './bootstrap.js'
import { handOverToScript } from './handover.js'

const [name = ''] = process.argv.splice(2, 1)
if (name === 'bench' || name === 'prove') await runNamed(name)
else await handOverToScript(name, { build: false })

/** Builds first, because benchmarks and proofs start built programs. */
async function runNamed(folder) {
  const files = readdirSync(join(root, 'scripts', folder)).filter((file) => file.endsWith('.ts'))
  const names = files.map((file) => file.slice(0, -'.ts'.length)).sort()
  const [chosen] = process.argv.splice(2, 1)
  if (chosen === 'all') return runAll(folder, names)
  if (names.includes(chosen)) return handOverToScript(`${folder}/${chosen}`, { build: true })
  process.stderr.write(`npm run ${folder} -- NAME|all, where NAME is one of: ${names.join(', ')}\n`)
  process.exitCode = 2
}

/** Runs each script in turn. Exits with the status of the last one that failed. */
async function runAll(folder, names) {
  const [self, ...args] = [fileURLToPath(import.meta.url), ...process.argv.slice(2)]
  let isOver = false
  let child
  const end = () => (isOver = true)
  const pass = (signal) => end() && child?.kill(signal)
  // Passes on only SIGTERM and SIGHUP, because a terminal sends SIGINT to the script as well.
  process.on('SIGINT', end).on('SIGTERM', pass).on('SIGHUP', pass)
  for (const name of names) {
    if (isOver) return
    process.stdout.write(`${folder} ${name}\n`)
    child = spawn(process.execPath, [self, folder, name, ...args], { stdio: 'inherit' })
    const [code] = await once(child, 'exit')
    if (code !== 0) process.exitCode = code ?? 1
  }
}
