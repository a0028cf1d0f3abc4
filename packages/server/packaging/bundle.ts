// Puts the server's code and that of its dependencies into a few files, which lie where the compiler puts those of a checkout.
import { readFile } from 'node:fs/promises'
import { relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { BANNER, licensesOf, TARGET } from '../../agent/packaging/bundle.ts'

export interface ServerBundle {
  /** By path below `dist`. */
  code: ReadonlyMap<string, string>
  licenses: string
}

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const DIST = fileURLToPath(new URL('../dist/', import.meta.url))
/** The command, and what it starts in a process or a thread of its own. Beside the command is where the bundler puts what they share. */
const ENTRIES = ['bin/dogwatch', 'embedded-postgres/guard-process', 'channels/webhook-template/render-thread']
const PLACE = 'const placeOfDist = new URL(/^.*[/]dist[/]/.exec(import.meta.url)[0]);'
/** They load native parts from their own folders, so they are shipped as they are. */
const WHOLE = ['argon2']

/** Modules look for files beside themselves. In a bundle they have no place of their own, and get the one that they had. */
const places: Plugin = {
  name: 'places of modules',
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, async ({ path }) => {
      if (!path.startsWith(DIST)) return undefined
      const text = await readFile(path, 'utf8')
      const place = relative(DIST, path).split(sep).join('/')
      return {
        contents: text.replaceAll('import.meta.url', `new URL(${JSON.stringify(place)}, placeOfDist).href`),
        loader: 'js',
      }
    })
  },
}

export async function bundleServer(): Promise<ServerBundle> {
  const { outputFiles, metafile } = await build({
    entryPoints: ENTRIES.map((name) => `${DIST}${name}.js`),
    outbase: DIST,
    outdir: '/dist',
    chunkNames: 'bin/[name]-[hash]',
    absWorkingDir: ROOT,
    bundle: true,
    splitting: true,
    write: false,
    platform: 'node',
    format: 'esm',
    target: TARGET,
    banner: { js: `${BANNER} ${PLACE}` },
    external: ['pg-native', ...WHOLE],
    plugins: [places],
    metafile: true,
    legalComments: 'none',
    logLevel: 'silent',
  })
  const code = new Map(
    outputFiles.map(({ path, text }) => [
      path
        .split(sep)
        .join('/')
        .replace(/^.*\/dist\//, ''),
      text,
    ]),
  )
  return { code, licenses: await licensesOf(Object.keys(metafile.inputs)) }
}
