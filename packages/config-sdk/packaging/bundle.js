// Writes the command into `cli` of a folder, `dist` unless another is named: one file, others for what only one of its commands needs, and
// the licenses of what is in them. What package.json lists under `dependencies` stays outside; what it lists under `devDependencies` is put
// in. That is the rules of a check, whose package is not published because it changes with the server, and what would want a newer Node of
// those who install this one.
import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const HERE = fileURLToPath(new URL('..', import.meta.url))

const { dependencies, engines } = JSON.parse(await readFile(join(HERE, 'package.json'), 'utf8'))
const outdir = join(resolve(process.argv[2] ?? join(HERE, 'dist')), 'cli')

const { metafile } = await build({
  absWorkingDir: HERE,
  entryPoints: ['src/cli/main.ts'],
  outdir,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: engines.node.replace('>=', 'node'),
  external: Object.keys(dependencies),
  metafile: true,
  legalComments: 'none',
})

const folders = Object.keys(metafile.inputs).flatMap(
  (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [],
)
const licenses = [...new Set(folders)].sort().map(async (folder) => {
  const { name, version } = JSON.parse(await readFile(join(HERE, folder, 'package.json'), 'utf8'))
  return `${name} ${version}\n\n${await readFile(join(HERE, folder, 'LICENSE'), 'utf8')}`
})
await writeFile(join(outdir, 'LICENSE-third-party'), (await Promise.all(licenses)).join('\n'))
