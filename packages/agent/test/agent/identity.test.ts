// Becoming a monitor: once, and never with an answer that is not stored.
import { chmod, chown, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { type EnrollRequest, MonitorClient } from '@dogwatch/monitor-sdk'
import { expect, test } from '@jest/globals'
import { type EnrollOptions, enroll, identityPath, loadIdentity, mayBeRepeated } from '../../src/identity/identity.ts'
import { openStateDir, tidyStateDir } from '../../src/process/state-dir.ts'
import { mint } from '../support/certificates.ts'
import { hangUp, scriptedApi, text } from './support/scripted-api.ts'
import { tempDir } from './support/temp-dir.ts'

const place = { name: 'rack 4', region: 'eu', country: 'DE', city: 'Kiel' }

async function setUp(token: string | undefined = 'enroll-token') {
  const [api, state_dir] = [await scriptedApi(), join(await tempDir(), 'state')]
  await openStateDir(state_dir)
  const client = new MonitorClient({ baseUrl: api.url, token: 'none', retries: 0 })
  const options: EnrollOptions = {
    state_dir,
    base_url: api.url,
    place,
    token: async () => token,
    enroll: (request, secret) => client.enroll(request, { token: secret }),
  }
  return { api, state_dir, options }
}

test('an enrollment is stored for its owner alone', async () => {
  const { api, state_dir, options } = await setUp()
  const made = await enroll(options)
  expect(made).toEqual({ base_url: api.url, monitor_id: '0123456789ab', api_key: 'key-1' })
  expect(await loadIdentity(state_dir, api.url)).toEqual(made)
  expect((await stat(identityPath(state_dir))).mode & 0o777).toBe(0o600)
  expect((await stat(state_dir)).mode & 0o777).toBe(0o700)
  expect(await readdir(state_dir)).toEqual(['identity.json'])
  expect(api.enrolled).toEqual([{ ...place, abilities: expect.arrayContaining(['http', 'tcp', 'tls']) }])
})

test('without an identity file there is no identity', async () => {
  const { api, state_dir } = await setUp()
  expect(await loadIdentity(state_dir, api.url)).toBeUndefined()
})

test('a directory that cannot be written to is found out before the key is on its way', async () => {
  const { api, options } = await setUp()
  const lost = enroll({ ...options, state_dir: join(options.state_dir, 'gone') })
  await expect(lost).rejects.toMatchObject({
    exitCode: 78,
    message: expect.stringContaining('cannot write to the state directory'),
  })
  expect(api.arrived).toEqual([])
})

test('a monitor that was reset is taken back by its id', async () => {
  const { api, options } = await setUp()
  expect(await enroll(options, 'abcdefghjkmn')).toMatchObject({ monitor_id: 'abcdefghjkmn' })
  expect(api.enrolled).toEqual([
    { ...place, abilities: expect.arrayContaining(['http', 'tcp', 'tls']), id: 'abcdefghjkmn' },
  ])
})

test.each([
  [401, undefined, 'unknown, revoked or expired'],
  [404, 'abcdefghjkmn', 'monitor abcdefghjkmn does not exist'],
  [409, 'abcdefghjkmn', 'still enrolled'],
  [400, undefined, 'city is missing'],
])('status %i ends the agent with 78 and says what to do', async (status, id, words) => {
  const { api, options } = await setUp()
  api.next('POST /enroll', text(status, 'city is missing'))
  await expect(enroll(options, id)).rejects.toMatchObject({ exitCode: 78, message: expect.stringContaining(words) })
})

test('without a token nobody is asked', async () => {
  const { api, options } = await setUp()
  const without = { ...options, token: async () => undefined }
  await expect(enroll(without)).rejects.toMatchObject({ exitCode: 78 })
  await expect(enroll(without, 'abcdefghjkmn')).rejects.toThrow('reset the monitor on the server')
  expect(api.arrived).toEqual([])
})

test('an enrollment is tried again when it cannot have arrived or the server says that it failed, and not when its answer is lost', async () => {
  const { api, options } = await setUp()
  const answers = [hangUp, ...[504, 408, 500, 502, 503, 429].map((status) => text(status, 'not now'))]
  api.next('POST /enroll', ...answers)
  const verdicts: boolean[] = []
  const attempt = async () => verdicts.push(mayBeRepeated(await enroll(options).catch((error: unknown) => error)))
  for (const _ of answers) await attempt()
  await api.close()
  await attempt()
  expect(verdicts).toEqual([false, false, false, true, true, true, true, true])
})

test('who has no certificate to be trusted was never told anything', async () => {
  const { options } = await setUp()
  const server = createTlsServer(mint({ name: 'self-signed' }), (socket) => socket.end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  for (const baseUrl of [`https://127.0.0.1:${port}`, 'https://nobody.invalid']) {
    const client = new MonitorClient({ baseUrl, token: 'none', retries: 0 })
    const asked = { ...options, enroll: (request: EnrollRequest) => client.enroll(request) }
    const error: unknown = await enroll(asked).catch((error: unknown) => error)
    expect([baseUrl, mayBeRepeated(error)]).toEqual([baseUrl, true])
  }
  await new Promise((resolve) => server.close(resolve))
})

test('an identity of another server, or one that is torn, ends the agent instead of a new enrollment', async () => {
  const { api, state_dir, options } = await setUp()
  await enroll(options)
  await expect(loadIdentity(state_dir, 'http://other.example')).rejects.toMatchObject({ exitCode: 78 })
  const moved = await loadIdentity(state_dir, 'http://other.example', { isMoved: true })
  expect(moved).toMatchObject({ base_url: 'http://other.example' })
  await writeFile(identityPath(state_dir), '{"base_url":')
  await expect(loadIdentity(state_dir, api.url)).rejects.toMatchObject({ exitCode: 78 })
})

test('what a killed process left half written is swept away at the start', async () => {
  const { state_dir } = await setUp()
  await writeFile(join(state_dir, 'identity.json.0a1b2c3d4e5f.tmp'), '{"api')
  for (const theirs of ['report.tmp', 'identity.json.tmp']) await writeFile(join(state_dir, theirs), 'of somebody else')
  await tidyStateDir(state_dir)
  expect((await readdir(state_dir)).sort()).toEqual(['identity.json.tmp', 'report.tmp'])
})

test('the state directory is closed to others, unless it is one of other things', async () => {
  const { state_dir } = await setUp()
  const modeOf = async () => (await stat(state_dir)).mode & 0o777
  await chmod(state_dir, 0o755)
  await openStateDir(state_dir)
  expect(await modeOf()).toBe(0o700)
  await writeFile(join(state_dir, 'report.txt'), '')
  await chmod(state_dir, 0o755)
  await openStateDir(state_dir)
  expect(await modeOf()).toBe(0o755)
})

test('a directory that is not the user’s own is refused as it is', async () => {
  const { state_dir } = await setUp()
  const refused = (dir: string, words: string) =>
    expect(openStateDir(dir)).rejects.toMatchObject({ exitCode: 78, message: expect.stringContaining(words) })
  await refused('/dev/null/state', 'ENOTDIR')
  const isRoot = process.getuid?.() === 0
  if (isRoot) await chown(state_dir, 12_345, 12_345)
  await refused(isRoot ? state_dir : '/', 'it belongs to another user')
  if (isRoot) await chown(state_dir, 0, 0)
  await chmod(state_dir, 0o1777)
  await refused(state_dir, 'it is shared by several users')
  expect((await stat(state_dir)).mode & 0o7777).toBe(0o1777)
})

test('the key stands in the identity file and nowhere else', async () => {
  const { state_dir, options } = await setUp()
  await enroll(options)
  const holders: string[] = []
  for (const name of await readdir(state_dir)) {
    if ((await readFile(join(state_dir, name), 'utf8')).includes('key-1')) holders.push(name)
  }
  expect(holders).toEqual(['identity.json'])
})
