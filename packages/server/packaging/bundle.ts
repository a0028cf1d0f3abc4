// Puts the server's code and that of its dependencies into a few files, which lie where the compiler puts those of a checkout.
import { readFile } from 'node:fs/promises'
import { relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { BANNER, licensesOf, TARGET } from '../../agent/packaging/bundle.ts'

export interface ServerBundle {
  /** Files by their path below `packages`. */
  code: ReadonlyMap<string, string>
  licenses: string
}

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const PACKAGES = fileURLToPath(new URL('../../', import.meta.url))
/** The command, and what it starts in a process or a thread of its own. Beside the command is where the bundler puts what they share. */
const ENTRIES = [
  'server/dist/bin/dogwatch',
  'embedded-postgres/dist/guard-process',
  'channels/dist/webhook-template/render-thread',
]
const PLACE = 'const placeOfPackages = new URL(/^.*[/]packages[/](?=[^/]+[/]dist[/])/.exec(import.meta.url)[0]);'
/** They load native parts from their own folders, so they are shipped as they are. */
const WHOLE = ['argon2']

/** Modules look for files beside themselves. In a bundle they have no place of their own, and get the one that they had. */
const places: Plugin = {
  name: 'places of modules',
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, async ({ path }) => {
      if (!path.startsWith(PACKAGES)) return undefined
      const text = await readFile(path, 'utf8')
      const place = relative(PACKAGES, path).split(sep).join('/')
      return {
        contents: text.replaceAll('import.meta.url', `new URL(${JSON.stringify(place)}, placeOfPackages).href`),
        loader: 'js',
      }
    })
  },
}

export async function bundleServer(): Promise<ServerBundle> {
  const { outputFiles, metafile } = await build({
    entryPoints: ENTRIES.map((name) => `${PACKAGES}${name}.js`),
    outbase: PACKAGES,
    outdir: '/packages',
    chunkNames: 'server/dist/bin/[name]-[hash]',
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
    // With the paths in tsconfig.json, esbuild would bundle the sources of our packages.
    tsconfigRaw: {},
    metafile: true,
    legalComments: 'none',
    logLevel: 'silent',
  })
  const code = new Map(
    outputFiles.map(({ path, text }) => [
      path
        .split(sep)
        .join('/')
        .replace(/^.*?\/packages\//, ''),
      text,
    ]),
  )
  return { code, licenses: await licensesOf(Object.keys(metafile.inputs)) }
}

/** The packages of this repository, other than the server, that have a program of their own. */
export function roomsIn(code: ServerBundle['code']): string[] {
  const names = [...code.keys()].map((path) => path.slice(0, path.indexOf('/')))
  return [...new Set(names)].filter((name) => name !== 'server')
}
