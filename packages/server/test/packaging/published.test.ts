// What strangers get of the SDKs: sound packages, small bundles, types that compile, programs that run.

import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { configToken } from '../../../api/test/support/config-api.ts'
import { world } from '../support/world.ts'
import {
  bundleIn,
  compileIn,
  emptyProject,
  packSdk,
  type Runtime,
  runProgram,
  SDKS,
  tool,
  useOn,
} from './sdk-projects.ts'

/** What one call may cost a page, in bytes of gzip. openapi-fetch has 2.6 KB of it, where it is used. */
const ONE_CALL_MAX_BYTES = { 'monitor-sdk': 6 * 1024, 'account-sdk': 6 * 1024, 'config-sdk': 6 * 1024 }

/** A program that uses the client. */
const LIST = `import { ConfigClient, each, listChecks } from '@dogwatch/config-sdk'
  const [, , baseUrl, token] = process.argv
  for await (const { key } of each(listChecks, new ConfigClient({ baseUrl, token }))) console.log(key)`

let folder: string
let project: string
let tarballs: string[]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dogwatch-packaging-'))
  tarballs = await Promise.all(SDKS.map(packSdk))
  project = await emptyProject(tarballs, folder)
})

afterAll(() => rm(folder, { recursive: true, force: true }))

test.each(SDKS.map((sdk, index) => [sdk, index] as const))('publint and attw find nothing in %s', async (_, index) => {
  const tarball = tarballs[index] ?? ''
  await runProgram(process.execPath, [tool('publint/src/cli.js'), 'run', tarball, '--strict'])
  await runProgram(process.execPath, [
    tool('@arethetypeswrong/cli/dist/index.js'),
    tarball,
    ...['--profile', 'esm-only', '--format', 'ascii', '--no-definitely-typed'],
  ])
})

test.each(SDKS.map((sdk, index) => [sdk, index] as const))('%s packs what runs and nothing else', async (_, index) => {
  const listed = await runProgram('tar', ['-tzf', tarballs[index] ?? ''])
  const odd = /\.test\.|\.tsbuildinfo|\/src\/|\/test\//
  expect(listed.split('\n').filter((path) => odd.test(path))).toEqual([])
  expect(listed).toContain('package/README.md')
  expect(listed).toContain('package/LICENSE')
})

test.each(SDKS)('%s needs no package of ours, and none that wants a newer Node than it does', async (sdk) => {
  const { private: isPrivate, engines, dependencies } = await manifestOf(`@dogwatch/${sdk}`, project)
  expect([isPrivate, engines?.node]).toEqual([undefined, '>=20.19'])
  for (const name of Object.keys(dependencies ?? {})) {
    expect(name).not.toMatch(/^@dogwatch\//)
    const own = join(project, 'node_modules/@dogwatch', sdk)
    const wanted = (await manifestOf(name, own).catch(() => manifestOf(name, project))).engines?.node ?? '*'
    expect(`${name} ${wanted}`).toMatch(/ (\*|>= ?(\d|1\d)(\.\d+)*|>= ?20(\.0)*)$/)
  }
})

test.each(SDKS)('one call of %s is small, and nothing that it loads first needs Node', async (sdk) => {
  const runtimes: Runtime[] = ['browser', 'worker']
  for (const runtime of runtimes) {
    const { entryBytes, modules } = await bundleIn(project, sdk, runtime)
    process.stdout.write(`${sdk}: ${entryBytes} bytes of gzip for one call in a ${runtime}\n`)
    expect(modules.filter((path) => /node:|\/cli\/|\/file\/|streamparser|yaml/.test(path))).toEqual([])
    expect(entryBytes).toBeLessThanOrEqual(ONE_CALL_MAX_BYTES[sdk])
  }
})

test.each([
  ['Node', ['es2023'], ['node']],
  ['a browser', ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'], []],
])('a strict program for %s compiles, the declarations included', (_, lib, types) => compileIn(project, lib, types))

test('the installed dogwatch-config imports, validates, plans, applies, pulls and serves tools, with a server', async () => {
  const w = await world()
  const bin = join(project, 'node_modules/@dogwatch/config-sdk/bin/dogwatch-config.js')
  const env = { DOGWATCH_URL: w.url, DOGWATCH_CONFIG_TOKEN: await configToken(w, await w.org('team')) }
  const command = (...args: string[]) =>
    new Promise<string>((resolve) => {
      execFile(process.execPath, [bin, ...args], { cwd: folder, env }, (error, stdout, stderr) =>
        resolve(`${error?.code ?? 0} ${stderr}${stdout.trim().split('\n').at(-1)}`),
      )
    })
  const endpoint = '{ name: Shop, url: "https://shop.example.com/", headers: { Authorization: "Bearer 4711" } }'
  await writeFile(join(folder, 'gatus.yaml'), `endpoints:\n- ${endpoint}\n`)
  const client = new Client({ name: 'test', version: '1.0.0' })
  try {
    const kept = ['--variables-file', 'gatus.env']
    expect(await command('import-from', 'gatus', 'gatus.yaml', ...kept)).toBe('0 Wrote dogwatch.yaml.')
    expect(await readFile(join(folder, 'gatus.env'), 'utf8')).toBe("SHOP_AUTHORIZATION='Bearer 4711'\n")
    expect(await command('validate')).toBe('0 Not set in the environment: SHOP_AUTHORIZATION')
    Object.assign(env, { SHOP_AUTHORIZATION: 'Bearer 4711' })
    expect(await command('plan')).toBe('2 1 to create, 0 to change, 0 to delete, 0 unchanged.')
    expect(await command('apply')).toBe('0 1 created, 0 changed, 0 deleted, 0 unchanged.')
    expect(await command('pull', 'pulled.yaml')).toMatch(/^0 Set these variables .*: SHOP_AUTHORIZATION\n$/)
    // Its token may not learn whether the secret is the same.
    expect(await command('plan', 'pulled.yaml', '--prune')).toBe(
      '2 0 to create, 1 to change, 0 to delete, 0 unchanged.',
    )
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [bin, 'mcp'], env }))
    expect(JSON.stringify(await client.callTool({ name: 'list_down', arguments: {} }))).toContain('Nothing is down.')
    await writeFile(join(project, 'list.mjs'), LIST)
    expect(await runProgram(process.execPath, ['list.mjs', w.url, env.DOGWATCH_CONFIG_TOKEN], project)).toBe('shop\n')
  } finally {
    await client.close()
    await w.close()
  }
})

test('the SDKs and their commands run where they are installed, imported and required', async () => {
  expect(await useOn(process.execPath, project)).toBe(process.version)
  // Whoever started this may be an older Node, and then it is a second witness.
  const starter = process.env.npm_node_execpath
  if (starter) expect(await useOn(starter, project)).toMatch(/^v\d+/)
})

interface Manifest {
  private?: boolean
  engines?: { node?: string }
  dependencies?: Record<string, string>
}

async function manifestOf(name: string, where: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(where, 'node_modules', name, 'package.json'), 'utf8')) as Manifest
}
