// Becoming a monitor: once, and never with an answer that is not stored.
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { MonitorClient } from '@dogwatch/monitor-sdk'
import { type EnrollOptions, enroll, identityPath, loadIdentity, neverArrived } from '../../src/identity.ts'
import { openStateDir } from '../../src/state-dir.ts'
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
  expect(api.enrolled).toEqual([place])
})

test('without an identity file there is no identity', async () => {
  const { api, state_dir } = await setUp()
  expect(await loadIdentity(state_dir, api.url)).toBeUndefined()
})

test('a directory that cannot be written to is found out before the key is on its way', async () => {
  const { api, options } = await setUp()
  const lost = enroll({ ...options, state_dir: join(options.state_dir, 'gone') })
  await expect(lost).rejects.toMatchObject({ exitCode: 78, message: expect.stringContaining('cannot be written to') })
  expect(api.arrived).toEqual([])
})

test('a monitor that was reset is taken back by its id', async () => {
  const { api, options } = await setUp()
  expect(await enroll(options, 'abcdefghjkmn')).toMatchObject({ monitor_id: 'abcdefghjkmn' })
  expect(api.enrolled).toEqual([{ ...place, id: 'abcdefghjkmn' }])
})

test.each([
  [401, undefined, 'unknown, revoked or expired'],
  [404, 'abcdefghjkmn', 'there is no monitor abcdefghjkmn'],
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
  await expect(enroll(without, 'abcdefghjkmn')).rejects.toThrow('have the monitor reset')
  expect(api.arrived).toEqual([])
})

test('an enrollment is tried again only when it cannot have arrived', async () => {
  const { api, options } = await setUp()
  api.next('POST /enroll', hangUp, text(500, 'internal server error'), text(429, 'rate limit exceeded'))
  const verdicts: boolean[] = []
  for (let n = 0; n < 3; n += 1) verdicts.push(neverArrived(await enroll(options).catch((error: unknown) => error)))
  await api.close()
  verdicts.push(neverArrived(await enroll(options).catch((error: unknown) => error)))
  expect(verdicts).toEqual([false, false, true, true])
})

test('an identity of another server, or one that is torn, ends the agent instead of a new enrollment', async () => {
  const { api, state_dir, options } = await setUp()
  await enroll(options)
  await expect(loadIdentity(state_dir, 'http://other.example')).rejects.toMatchObject({ exitCode: 78 })
  await writeFile(identityPath(state_dir), '{"base_url":')
  await expect(loadIdentity(state_dir, api.url)).rejects.toMatchObject({ exitCode: 78 })
})

test('what a killed process left half written is swept away at the start', async () => {
  const { state_dir } = await setUp()
  await writeFile(join(state_dir, 'identity.json.0a1b2c.tmp'), '{"api')
  await chmod(state_dir, 0o755)
  await openStateDir(state_dir)
  expect([await readdir(state_dir), (await stat(state_dir)).mode & 0o777]).toEqual([[], 0o700])
  await expect(openStateDir('/dev/null/state')).rejects.toMatchObject({ exitCode: 78 })
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
