// Puts the agent's code and that of its dependencies into two files, and gathers the licenses that go with them.
import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { VERSION } from '../src/process/version.ts'

export interface Bundle {
  version: string
  /** By file name. */
  code: ReadonlyMap<string, string>
  licenses: string
}

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const SOURCES = fileURLToPath(new URL('../src/', import.meta.url))
/** For the CommonJS packages in the bundle. */
export const BANNER =
  "import { createRequire as createBundleRequire } from 'node:module'; const require = createBundleRequire(import.meta.url);"
/** The oldest Node that runs the bundle. */
export const TARGET = 'node24'

/** The native part of the buffer lies beside the bundle, instead of being searched for in its package. */
const nativeParts: Plugin = {
  name: 'native parts',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]classic-level[\\/]binding\.js$/ }, () => ({
      contents: "module.exports = require('./classic-level.node')",
      loader: 'js',
    }))
  },
}

export async function bundleAgent(): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    entryPoints: ['main.ts', 'matching/pattern-worker.ts'].map((file) => join(SOURCES, file)),
    entryNames: '[name]',
    outdir: '/lib',
    absWorkingDir: ROOT,
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    target: TARGET,
    banner: { js: BANNER },
    external: ['*.node'],
    plugins: [nativeParts],
    metafile: true,
    legalComments: 'none',
    logLevel: 'silent',
  })
  const code = new Map(outputFiles.map(({ path, text }) => [path.replace(/^.*[\\/]/, ''), text]))
  return {
    version: VERSION,
    code,
    licenses: await licensesOf([...Object.keys(metafile.inputs), ...(await pingModules())]),
  }
}

/** The packages of the module that opens ICMP sockets, as far as they are installed here. */
async function pingModules(): Promise<string[]> {
  const folder = 'node_modules/@koromix'
  const names = await readdir(join(ROOT, folder)).catch(() => [])
  return names.map((name) => `${folder}/${name}`)
}

/** The folder of the package with the native part. */
export function levelFolder(): string {
  return dirname(createRequire(import.meta.url).resolve('classic-level/package.json'))
}

/** The license of each package that a file was taken from. */
export async function licensesOf(files: readonly string[]): Promise<string> {
  const found = files.flatMap((file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? [])
  const texts: string[] = []
  for (const folder of [...new Set(found)].sort()) {
    const { name, version, license } = JSON.parse(await readFile(join(ROOT, folder, 'package.json'), 'utf8')) as {
      name: string
      version: string
      license?: string
    }
    const file = (await readdir(join(ROOT, folder))).find((one) => /^licen[cs]e/i.test(one))
    const text = file === undefined ? '' : `\n\n${(await readFile(join(ROOT, folder, file), 'utf8')).trim()}`
    texts.push(`${name} ${version}: ${license ?? 'see its own files'}${text}`)
  }
  return `${texts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`
}
