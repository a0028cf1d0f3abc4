// What strangers get of the SDKs: sound packages, small bundles, types that compile, programs that run.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
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

let folder: string
let project: string
let tarballs: string[]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dogwatch-packaging-'))
  tarballs = await Promise.all(SDKS.map((sdk) => packSdk(sdk, folder)))
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

test('the SDKs and their commands run where they are installed, imported and required', async () => {
  expect(await useOn(process.execPath, project)).toBe(process.version)
  // Whoever started this may be an older Node, and then it is a second witness.
  const starter = process.env.npm_node_execpath
  if (starter) expect(await useOn(starter, project)).toMatch(/^v\d+/)
})
