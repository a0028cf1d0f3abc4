// The SDKs as strangers get them: packed from a fresh build, and installed into a project that has nothing else.

import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { withLock } from '../../../../scripts/lock.js'

export const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
export const SDKS = ['monitor-sdk', 'account-sdk', 'config-sdk'] as const
export type Sdk = (typeof SDKS)[number]

/** This Node, and further ones that `npm run prove -- sdks` names. */
export const NODES = [process.execPath, ...(process.env.DOGWATCH_TEST_RUNTIMES?.split(',') ?? [])]

/** Beside what is compiled. */
const PARTS: Readonly<Record<Sdk, readonly string[]>> = {
  'monitor-sdk': ['examples'],
  'account-sdk': ['bin'],
  'config-sdk': ['bin', 'schema', 'docs', 'examples'],
}
/** Those with parts for Node alone need its types. */
const WITH_NODE_TYPES: readonly Sdk[] = ['monitor-sdk', 'account-sdk']

/** What is compiled from the source of another package, by folder of `dist`. */
const SHARED: Readonly<Record<Sdk, Readonly<Record<string, string>>>> = {
  'monitor-sdk': { rules: 'tsconfig.rules.json' },
  'account-sdk': { core: 'tsconfig.core.json' },
  'config-sdk': { core: 'tsconfig.core.json' },
}

/** What the first two depend on, and what that depends on: installed from here, so that no registry is asked. */
const DEPENDENCIES = ['openapi-fetch', 'openapi-typescript-helpers', '@streamparser/json']

const execute = promisify(execFile)

/** Runs a program and returns what it wrote. Fails with all of that when the program does. */
export async function runProgram(program: string, args: readonly string[], cwd = ROOT): Promise<string> {
  // npm wants a cache that it can write to, also where there is no usable home.
  const npm_config_cache = join(tmpdir(), `dogwatch-npm-${process.getuid?.() ?? 0}`)
  const env = { ...process.env, npm_config_cache, NODE_OPTIONS: '', NO_COLOR: '1', FORCE_COLOR: '0' }
  try {
    const { stdout } = await execute(program, args, { cwd, env, shell: process.platform === 'win32' })
    return stdout
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string }
    throw new Error(`${program} ${args.join(' ')}\n${stdout ?? ''}${stderr ?? ''}`, { cause: error })
  }
}

/** The program that an installed tool is, to be run by this Node. */
export function tool(name: string): string {
  return join(ROOT, 'node_modules', name)
}

/** What the SDKs are compiled from. */
const SOURCES = ['packages/check-rules', 'packages/contract', ...SDKS.map((sdk) => `packages/${sdk}`)]
/** Tarballs, by what is in them: several test files install them, and to compile and pack one takes seconds. */
const PACKED = join(ROOT, '.cache', 'packed')
let fingerprint: string | undefined

/** Returns a tarball of that name. The first that asks makes it, in a folder of its own. */
async function packOnce(name: string, make: (folder: string) => Promise<string>): Promise<string> {
  const tarball = join(PACKED, `${name.replace('/', '-')}.tgz`)
  if (existsSync(tarball)) return tarball
  await withLock(`${tarball}.lock`, async () => {
    if (existsSync(tarball)) return
    const folder = await mkdtemp(`${tarball}-`)
    try {
      await rename(await make(folder), tarball)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
  return tarball
}

/** Returns the tarball of an SDK as its sources are now. */
export function packSdk(sdk: Sdk): Promise<string> {
  return packOnce(`${sdk}-${(fingerprint ??= fingerprintOf(SOURCES))}`, (folder) => buildSdk(sdk, folder))
}

function fingerprintOf(folders: readonly string[]): string {
  const isSource = (path: string): boolean => !/(^|[/\\])(dist|node_modules|\.cache)([/\\]|$)|\.tsbuildinfo$/.test(path)
  const hash = createHash('sha256')
  const found = folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(ROOT, join(parentPath, name))),
  )
  const how = relative(ROOT, fileURLToPath(import.meta.url))
  for (const path of [how, 'package-lock.json', 'tsconfig.base.json', ...found.filter(isSource).toSorted()])
    hash.update(`${path}\0`).update(readFileSync(join(ROOT, path)))
  return hash.digest('hex')
}

/** Builds a package away from its own dist, which may hold what older builds left, and packs it. */
async function buildSdk(sdk: Sdk, folder: string): Promise<string> {
  const source = join(ROOT, 'packages', sdk)
  const staged = join(folder, sdk)
  await mkdir(staged, { recursive: true })
  for (const part of ['package.json', 'README.md', 'CHANGELOG.md', 'LICENSE', ...PARTS[sdk]]) {
    await cp(join(source, part), join(staged, part), { recursive: true })
  }
  const config = join(folder, `${sdk}.json`)
  const compilerOptions = {
    composite: false,
    rootDir: join(source, 'src'),
    outDir: join(staged, 'dist'),
    lib: ['es2023', 'es2024.string', 'dom', 'dom.iterable'],
    ...(WITH_NODE_TYPES.includes(sdk) ? { types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] } : {}),
  }
  const isBundled = sdk === 'config-sdk'
  const files = { include: [join(source, isBundled ? 'src/*.ts' : 'src')], exclude: [join(source, 'src/**/*.test.ts')] }
  await writeFile(config, JSON.stringify({ extends: join(ROOT, 'tsconfig.base.json'), compilerOptions, ...files }))
  await runProgram(process.execPath, [tool('typescript/bin/tsc'), '-p', config])
  for (const [part, shared] of Object.entries(SHARED[sdk])) {
    const out = ['--composite', 'false', '--tsBuildInfoFile', 'null', '--outDir', join(staged, 'dist', part)]
    await runProgram(process.execPath, [tool('typescript/bin/tsc'), '-p', join(source, shared), ...out])
  }
  if (isBundled) await runProgram(process.execPath, [join(source, 'packaging/bundle.js'), join(staged, 'dist')])
  return pack(staged, folder)
}

async function pack(folder: string, into: string): Promise<string> {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', into]
  const [packed] = JSON.parse(await runProgram('npm', args, folder))
  return join(into, packed.filename)
}

/**
 * A project with nothing in it but the packed SDKs. The first two are installed by npm. The dependencies of the third's command are many,
 * so it is put beside them, and finds what it needs here.
 */
export async function emptyProject(tarballs: readonly string[], folder: string): Promise<string> {
  const project = join(folder, 'project')
  await mkdir(project)
  const [config = '', ...rest] = tarballs.toReversed()
  const own = Object.fromEntries(rest.toReversed().map((file, index) => [`@dogwatch/${SDKS[index]}`, `file:${file}`]))
  const others = await Promise.all(
    DEPENDENCIES.map(async (name) => {
      const { version } = JSON.parse(await readFile(join(tool(name), 'package.json'), 'utf8')) as { version: string }
      return [name, `file:${await packOnce(`${name}-${version}`, (into) => pack(tool(name), into))}`] as const
    }),
  )
  await writeFile(
    join(project, 'package.json'),
    JSON.stringify({ private: true, type: 'module', dependencies: { ...own, ...Object.fromEntries(others) } }),
  )
  const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--no-package-lock']
  await runProgram('npm', ['install', '--offline', '--cache', join(folder, 'cache'), ...quiet], project)
  await placeSdk(config, join(project, 'node_modules/@dogwatch/config-sdk'))
  return project
}

/** Unpacks an SDK, with links to what it depends on. */
export async function placeSdk(tarball: string, folder: string): Promise<void> {
  await mkdir(folder)
  await runProgram('tar', ['-xzf', tarball, '-C', folder, '--strip-components', '1'])
  const { dependencies } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  for (const name of Object.keys(dependencies)) {
    const link = join(folder, 'node_modules', name)
    await mkdir(dirname(link), { recursive: true })
    const own = join(ROOT, 'packages/config-sdk/node_modules', name)
    await symlink(existsSync(own) ? own : tool(name), link, 'junction')
  }
}

const USE = `
  const events = []
  const options = { baseUrl: process.argv[2], token: 't', log: (event) => events.push(event.type) }
  const account = new AccountClient(options)
  const guids = []
  for await (const { guid } of (await account.exportResults()).results) guids.push(guid)
  const { status } = await new MonitorClient(options).ping()
  const refused = await account.checks({ retries: 0 }).catch((error) => error instanceof ApiError && error.status)
  const { verifyWebhook } = await import('@dogwatch/account-sdk/webhooks')
  const forged = await verifyWebhook({ headers: {}, body: '' }, { secret: 's' }).catch(({ code }) => code)
  console.log(JSON.stringify([process.version, guids, status, refused, events.length, forged]))
`

/** Programs that use both SDKs, by file name: one imports them, one requires them. */
const PROGRAMS = {
  'import.mjs': `import { AccountClient, ApiError } from '@dogwatch/account-sdk'
    import { MonitorClient } from '@dogwatch/monitor-sdk'
    ${USE}`,
  'require.cjs': `const { AccountClient, ApiError } = require('@dogwatch/account-sdk')
    const { MonitorClient } = require('@dogwatch/monitor-sdk')
    void (async () => {${USE}})()`,
}

/** Runs both programs and the command on a Node. Returns its version; fails when anything is not as it should be. */
export async function useOn(node: string, project: string): Promise<string> {
  const server = createServer((req, res) => {
    const type = { 'content-type': 'application/json' }
    if (req.url === '/account-api/v1/export') res.writeHead(200, type).end(JSON.stringify(EXPORT))
    else if (req.url === '/monitor-api/v1/ping') res.writeHead(200, type).end('{"status":"ok"}')
    else if (req.url === '/account-api/v1/members') res.writeHead(200, type).end('[]')
    else res.writeHead(401).end('unknown')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    let version = ''
    for (const [file, text] of Object.entries(PROGRAMS)) {
      await writeFile(join(project, file), text)
      const said = await runProgram(node, [file, baseUrl], project)
      const [saidVersion, ...rest] = JSON.parse(said) as [string, ...unknown[]]
      version = saidVersion
      if (JSON.stringify(rest) !== '[["g"],"ok",401,6,"missing_header"]')
        throw new Error(`${file} on ${version} said ${said}`)
    }
    await writeFile(join(project, 'token'), 't\n')
    const bin = join(project, 'node_modules/@dogwatch/account-sdk/bin/dogwatch-account.js')
    const listed = await runProgram(node, [bin, 'members', '--server', baseUrl, '--token-file', 'token'], project)
    if (listed !== '[]\n') throw new Error(`the command on ${version} said ${listed}`)
    await writeFile(join(project, 'dogwatch.yaml'), FILE)
    const config = join(project, 'node_modules/@dogwatch/config-sdk/bin/dogwatch-config.js')
    const validated = await runProgram(node, [config, 'validate'], project)
    if (validated !== 'dogwatch.yaml is valid: checks 1\n') throw new Error(`on ${version}, validate said ${validated}`)
    return version
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const FILE =
  'version: 1\nchecks: { shop: { url: "https://shop.example.com/", interval_sec: 60, match_mode: regex, match_string: "^O." } }\n'

const EXPORT = {
  org_name: 'o',
  generated_at: '2026-11-20T10:00:00.000000Z',
  ...{ entitlements: {}, plan_usage: {}, checks: [], monitors: [], heartbeats: [], notification_channels: [] },
  members: [],
  results: { g: [{ ran_at: '2026-11-20T10:00:00.000000Z', monitor_id: 'm', success: true, latency_ms: 1 }] },
}

/** A program in TypeScript that uses what both SDKs export. */
const TYPED = `
  import { AccountClient, type AccountExport, cursorAfter, type ResultsPage, TimeoutError } from '@dogwatch/account-sdk'
  import { type EventOf, verifyWebhook, type WebhookEvent } from '@dogwatch/account-sdk/webhooks'
  import { ConfigClient, createCheck, each, etagOf, type Input, listChecks, type Schemas } from '@dogwatch/config-sdk'
  import { type Check, MonitorClient, syncCursor } from '@dogwatch/monitor-sdk'
  const account = new AccountClient({ baseUrl: 'http://127.0.0.1', token: () => 't' })
  export async function use(): Promise<[AccountExport, Check[], ResultsPage[]]> {
    const pages: ResultsPage[] = []
    for await (const page of account.pages('g')) pages.push(page)
    for await (const { result } of (await account.exportResults()).results) cursorAfter(result).after.trim()
    const { checks } = await new MonitorClient({ baseUrl: '', token: '' }).sync(syncCursor(''))
    const { data } = await account.http.GET('/checks/{guid}', { params: { path: { guid: 'g' } } })
    if (data) data.interval_sec.toFixed()
    return [await account.export(), checks, pages]
  }
  export async function receive(headers: Headers, body: string): Promise<string | undefined> {
    const { event }: { event: WebhookEvent } = await verifyWebhook({ headers, body }, { secret: ['a', 'b'] })
    const up = (one: EventOf<'check.up'>): string => one.data.ended_at
    return event.type === 'check.up' ? up(event) : undefined
  }
  export async function configure(input: Input<'createCheck'>): Promise<[Schemas['ConfiguredCheck'], string | undefined]> {
    const config = new ConfigClient({ baseUrl: 'http://127.0.0.1', token: 't' })
    for await (const { guid } of each(listChecks, config, { tag: 't' })) guid.trim()
    const check = await createCheck(config, input)
    // @ts-expect-error types are there, and not any
    await createCheck(config, { body: { name: 1 } })
    return [check, etagOf(check)]
  }
  export const isTimeout = (error: unknown): boolean => error instanceof TimeoutError
  // @ts-expect-error types are there, and not any
  account.checks(1)
`

/** Compiles a strict program against the installed packages, their declarations included. */
export async function compileIn(project: string, lib: readonly string[], types: readonly string[]): Promise<void> {
  await writeFile(join(project, 'typed.mts'), TYPED)
  await writeFile(join(project, 'typed.cts'), TYPED)
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    module: 'nodenext',
    skipLibCheck: false,
    noEmit: true,
    target: 'es2023',
    lib,
    types,
    typeRoots: [join(ROOT, 'node_modules/@types')],
  }
  const config = { compilerOptions, files: ['typed.mts', 'typed.cts'] }
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify(config))
  await runProgram(process.execPath, [tool('typescript/bin/tsc'), '-p', project])
}

export interface Bundled {
  /** What is loaded before the first call. */
  entryBytes: number
  /** Every module in what is loaded then. */
  modules: string[]
}

export type Runtime = 'browser' | 'worker'

const OPTIONS = "{ baseUrl: 'http://127.0.0.1', token: 't' }"
const ONE_CALL: Readonly<Record<Sdk, string>> = {
  'monitor-sdk': `import { MonitorClient } from '@dogwatch/monitor-sdk'
    console.log(await new MonitorClient(${OPTIONS}).ping())`,
  'account-sdk': `import { AccountClient } from '@dogwatch/account-sdk'
    console.log(await new AccountClient(${OPTIONS}).checks())`,
  'config-sdk': `import { ConfigClient, createCheck } from '@dogwatch/config-sdk'
    console.log(await createCheck(new ConfigClient(${OPTIONS}), { body: {} }))`,
}

/** Bundles a program of one call as a browser or a worker would get it. Fails for anything that only Node has. */
export async function bundleIn(project: string, sdk: Sdk, runtime: Runtime): Promise<Bundled> {
  const { build } = await import('esbuild')
  const { gzipSync } = await import('node:zlib')
  const entry = join(project, `${sdk}-${runtime}.js`)
  await writeFile(entry, ONE_CALL[sdk])
  const { metafile, outputFiles } = await build({
    entryPoints: [entry],
    absWorkingDir: project,
    outdir: join(project, 'bundle'),
    bundle: true,
    minify: true,
    splitting: true,
    format: 'esm',
    platform: runtime === 'browser' ? 'browser' : 'neutral',
    conditions: runtime === 'browser' ? ['browser'] : ['workerd', 'worker', 'browser'],
    target: 'esnext',
    metafile: true,
    write: false,
    logLevel: 'silent',
  })
  const outputs = Object.entries(metafile.outputs)
  const modules: string[] = []
  const load = (path: string): number => {
    const [, output] = outputs.find(([name]) => name === path) ?? []
    const file = outputFiles.find((one) => one.path.endsWith(path.split('/').pop() ?? path))
    if (!output || !file) throw new Error(`esbuild wrote no ${path}`)
    modules.push(...Object.keys(output.inputs))
    const own = gzipSync(file.contents, { level: 9 }).length
    const before = output.imports.filter((one) => one.kind === 'import-statement').map((one) => load(one.path))
    return before.reduce((sum, bytes) => sum + bytes, own)
  }
  const [first] = outputs.find(([, output]) => output.entryPoint?.endsWith(`${sdk}-${runtime}.js`)) ?? ['']
  return { entryBytes: load(first), modules }
}

/** Installs a Node of npm into a folder and returns its program. Asks a registry. */
export async function installNode(version: string, folder: string): Promise<string> {
  const place = join(folder, `node-${version}`)
  await mkdir(place)
  await writeFile(join(place, 'package.json'), '{"private":true}')
  await runProgram('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock', `node@${version}`], place)
  return join(place, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
}
