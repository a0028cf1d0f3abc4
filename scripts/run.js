// Runs a script of this folder on the pinned Node: node scripts/run.js NAME [ARGUMENTS]. Benchmarks and proofs have folders of
// their own: node scripts/run.js bench NAME.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './bootstrap.js'
import { handOverToScript } from './handover.js'

const [name = ''] = process.argv.splice(2, 1)
if (name === 'bench' || name === 'prove') await runNamed(name)
else await handOverToScript(name, { build: false })

/** Benchmarks and proofs start programs, which must be built. */
async function runNamed(folder) {
  const files = readdirSync(join(root, 'scripts', folder)).filter((file) => file.endsWith('.ts'))
  const names = files.map((file) => file.slice(0, -'.ts'.length)).sort()
  const [chosen] = process.argv.splice(2, 1)
  if (names.includes(chosen)) return handOverToScript(`${folder}/${chosen}`, { build: true })
  process.stderr.write(`npm run ${folder} -- NAME, where NAME is one of: ${names.join(', ')}\n`)
  process.exitCode = 2
}
