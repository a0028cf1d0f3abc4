// What leaked is revoked by commands: each secret of the security model works, is revoked, and works no longer.

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { tellPresence } from '@dogwatch/domain/availability'
import { authenticateConfigurator, createConfigurationToken } from '@dogwatch/domain/configuration/tokens'
import { createHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { findHeartbeatOfToken } from '@dogwatch/domain/heartbeats/take-ping'
import { requireLink } from '@dogwatch/domain/incidents/link'
import { secretToSign } from '@dogwatch/domain/incidents/link-secret'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { linkToken } from '../../../domain/src/incidents/link-token.ts'
import { type Operator, operator } from './operator.ts'

let o: Operator
beforeAll(async () => {
  o = await operator()
})
afterAll(() => o.close())

const JOB = { name: 'job', interval_sec: 60, grace_sec: 60, resend_interval_sec: 0, show_on_status_page: false }

test('a configuration token', async () => {
  const org_id = await o.org()
  const { token } = await createConfigurationToken(o.deps, org_id, { name: 'deploy', scopes: ['read'] })
  await authenticateConfigurator(o.deps, token, '127.0.0.1')
  for (const _ of ['first', 'again']) {
    expect(await o.answer(['configuration-token', 'revoke', '--token', token])).toEqual({ revoked: true })
  }
  await expect(authenticateConfigurator(o.deps, token, '127.0.0.1')).rejects.toThrow('unknown configuration token')
  const deeds = await o.rows("select action, subject from audit_entries where action like '%.revoke'")
  expect(deeds).toEqual([{ action: 'configuration_token.revoke', subject: 'deploy' }])
  expect(await o.refusal(['configuration-token', 'revoke', '--token', 'x'])).toBe('configuration token not found')
})

test('a ping URL', async () => {
  const { guid, token } = await createHeartbeat(o.deps, await o.org(), JOB)
  const answer = (await o.answer(['heartbeat', 'rotate', '--guid', guid])) as { guid: string; ping_url: string }
  expect(answer).toEqual({ guid, ping_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:8080\/ping\/dogwatch_beat_/) })
  await expect(findHeartbeatOfToken(o.deps, token)).rejects.toThrow()
  await findHeartbeatOfToken(o.deps, answer.ping_url.split('/').at(-1) ?? '')
})

test('links in alerts, all of them', async () => {
  const content = { org_id: await o.org(), channel_id: 1, incident_id: '5b3f0f6e-6a0e-4a52-9d7e-0d4a7f1c0003' }
  const token = linkToken(await secretToSign(o.deps), { ...content, expires_at: new Date(Date.now() + 3_600_000) })
  await expect(requireLink(o.deps, token)).rejects.toThrow('was deleted')
  await o.answer(['alert-links', 'revoke'])
  await expect(requireLink(o.deps, token)).rejects.toThrow('this link is invalid')
})

test('a ping URL that a command prints is that of PUBLIC_URL, else of the server that runs, else of the settings', async () => {
  const org = String(await o.org())
  const options = ['--org', org, '--name', 'job', '--interval-sec', '60', '--grace-sec', '60']
  const printed = async (more: readonly string[] = []) => {
    const { ping_url } = (await o.answer(['heartbeat', 'create', ...options, ...more])) as { ping_url: string }
    return ping_url.replace(/\/ping\/.*/, '')
  }
  expect(await printed(['--port', '9000'])).toBe('http://127.0.0.1:9000')
  const self = { process_id: 'one', role: 'all', host: 'here', pid: 1 }
  await tellPresence(o.deps, { own: { self, port: 18_080, public_url: 'http://127.0.0.1:18080', told_at: undefined } })
  expect(await printed()).toBe('http://127.0.0.1:18080')
  expect(await printed(['--public-url', 'https://dogwatch.example'])).toBe('https://dogwatch.example')
})

test('the documents name these commands', () => {
  const documentOf = (path: string) =>
    readFileSync(fileURLToPath(new URL(`../../../../${path}`, import.meta.url)), 'utf8')
  const commands = [
    'configuration-token revoke',
    'heartbeat rotate',
    'alert-links revoke',
    'api-token revoke',
    'enrollment-token revoke',
    'monitor reset',
  ]
  for (const path of ['packages/server/docs/security.md', '.github/SECURITY.md'])
    for (const command of commands)
      expect([path, documentOf(path)]).toEqual([path, expect.stringContaining(`dogwatch ${command}`)])
})
