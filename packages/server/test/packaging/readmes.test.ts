// The READMEs of the SDKs, as strangers follow them: with the packed SDKs, in an empty project, and a real server.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { configToken } from '../../../api/test/support/config-api.ts'
import { type Org, result, type World, world } from '../support/world.ts'
import { blocksOf, compileReadmes, deadLinksIn, installedIn, programOf } from './readme-programs.ts'
import { emptyProject, NODES, packSdk, SDKS } from './sdk-projects.ts'

let folder: string
let project: string
let compiled: Promise<string>
let w: World
let org: Org
let target: Server
let guid: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dogwatch-readmes-'))
  const tarballs = await Promise.all(SDKS.map(packSdk))
  project = await emptyProject(tarballs, folder)
  compiled = compileReadmes(project)
  compiled.catch(() => {})
  w = await world()
  org = await w.org('team')
  target = createServer((_, res) => void res.end('all is well'))
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(target.address() as AddressInfo).port}/`
  ;[guid = ''] = await w.checks(org, [{ url }], 'all')
  const monitor = await w.monitor(org)
  await monitor.client.upload([result(guid)])
})

afterAll(async () => {
  target?.close()
  await w?.close()
  await rm(folder, { recursive: true, force: true })
})

async function environment(): Promise<NodeJS.ProcessEnv> {
  const both = { DOGWATCH_SERVER: w.url, DOGWATCH_URL: w.url, CHECK: guid, SHOP_TOKEN: 'secret-of-the-shop' }
  const tokens = {
    DOGWATCH_ENROLLMENT_TOKEN: await w.token(org),
    DOGWATCH_TOKEN: await w.pat(org),
    DOGWATCH_CONFIG_TOKEN: await configToken(w, await w.org('team')),
  }
  return { ...process.env, NODE_OPTIONS: '', ...both, ...tokens }
}

/** Runs a program in the project, and returns what it wrote. Fails with that when the program does. */
async function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(program, args, { cwd: project, env, timeout: 60_000 })
  return stdout + stderr
}

test.each(SDKS)('every link in the pages of %s leads to something in its package', async (sdk) => {
  expect(await deadLinksIn(project, sdk)).toEqual([])
})

test('the code of all READMEs and all examples compile with strict settings', async () => {
  expect(await compiled).toMatch(/compiled$/)
  for (const sdk of SDKS) {
    const page = await readFile(join(installedIn(project, sdk), 'README.md'), 'utf8')
    expect(programOf(page).length).toBeGreaterThan(500)
  }
})

test.each(SDKS)('the code of the README of %s runs', async (sdk) => {
  const program = join(await compiled, `readme-${sdk}.js`)
  for (const node of NODES) {
    const said = await run(node, [program], await environment())
    expect(said).toMatch({ 'monitor-sdk': /runs next at/, 'account-sdk': /\.json/, 'config-sdk': /created/ }[sdk])
  }
})

test('the example agent refuses to be a shared monitor', async () => {
  const place = { REGION: 'eu-central', COUNTRY: 'DE', CITY: 'Frankfurt', STATE_DIR: join(folder, 'shared') }
  const settings = Object.fromEntries(Object.entries(place).map(([name, value]) => [`DOGWATCH_AGENT_${name}`, value]))
  const env = { ...(await environment()), ...settings, DOGWATCH_ENROLLMENT_TOKEN: await w.token(null) }
  const program = join(await compiled, 'agent.js')
  await expect(run(process.execPath, [program], env)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('must not be a shared monitor'),
  })
})

test('the commands of the README of the account SDK do as it says', async () => {
  const page = await readFile(join(installedIn(project, 'account-sdk'), 'README.md'), 'utf8')
  const [block] = blocksOf(page, 'sh').filter(({ text }) => text.includes('npx'))
  const lines = (block?.text ?? '').split('\n').filter((line) => line.startsWith('npx '))
  // One follows for good.
  const ending = lines.filter((line) => !line.includes('--follow'))
  expect(ending.length).toBe(lines.length - 1)
  for (const node of NODES) {
    const bin = `'${node}' '${installedIn(project, 'account-sdk')}/bin/dogwatch-account.js'`
    const script = ending.map((line) => line.replace('npx @dogwatch/account-sdk', bin)).join('\n')
    expect(await run('sh', ['-ec', script], await environment())).toContain(guid)
    expect(JSON.parse(await readFile(join(project, 'account.json'), 'utf8'))).toHaveProperty('results')
  }
})

test('the file and the commands of the README of the configuration SDK do as it says', async () => {
  const page = await readFile(join(installedIn(project, 'config-sdk'), 'README.md'), 'utf8')
  const [file] = blocksOf(page, 'yaml')
  const [commands] = blocksOf(page, 'sh').filter(({ text }) => text.includes('dogwatch-config plan'))
  await writeFile(join(project, 'dogwatch.yaml'), file?.text ?? '')
  for (const node of NODES) {
    const bin = `'${node}' '${installedIn(project, 'config-sdk')}/bin/dogwatch-config.js'`
    const lines = (commands?.text ?? '').split('\n').filter((line) => line.startsWith('dogwatch-config '))
    expect(lines).toHaveLength(2)
    const [plan = '', apply = ''] = lines.map((line) => line.replace(/^dogwatch-config/, bin).replace(/#.*/, ''))
    const said = await run('sh', ['-ec', `${plan} || test $? = 2\n${apply}`], await environment())
    expect(said).toMatch(/2 to create[^]*2 created/)
  }
})
