import { expect, test } from '@jest/globals'
import { AUDIT_ACTIONS, type AuditAction, type AuditEntry, auditSentence } from './sentences.ts'

const said = (entry: AuditEntry): string =>
  auditSentence(entry)
    .map((part) =>
      typeof part === 'string' ? part : 'at' in part ? part.at : `“${'named' in part ? part.named : part.subject}”`,
    )
    .join('')

test.each([
  ['check.pause', {}, 'paused the check “Shop”'],
  ['check.edit', { changed: ['url'] }, 'changed the target of the check “Shop”'],
  [
    'check.edit',
    { changed: ['interval_sec'], from: { interval_sec: 60 }, to: { interval_sec: 30 } },
    'changed the interval of the check “Shop” from 1 min to 30 s',
  ],
  [
    'check.edit',
    {
      changed: ['timeout_sec', 'insecure_skip_tls_verify', 'headers'],
      from: { timeout_sec: 90 },
      to: { timeout_sec: 5 },
    },
    'edited the check “Shop”: timeout from 1 min 30 s to 5 s, insecure skip TLS verify, request headers',
  ],
  ['check.edit', {}, 'edited the check “Shop”'],
  [
    'check.mute',
    { until: '2026-11-27T14:03:00.000000Z' },
    'muted alerts of the check “Shop” until 2026-11-27T14:03:00.000000Z',
  ],
  ['check.mute', { until_resolved: true }, 'muted alerts of the check “Shop” until the incident is resolved'],
  ['check.assign', { monitors: ['a', 'b'] }, 'assigned the check “Shop” to 2 monitors'],
  [
    'member.role',
    { before: 'read_only', role: 'admin' },
    'changed the role of the member “Shop” from read-only to admin',
  ],
  ['organisation.rename', { name: 'Ours' }, 'renamed the organisation “Shop” to “Ours”'],
  ['enrollment_token.revoke', {}, 'revoked an enrollment token'],
  ['check.undelete', {}, 'recorded “check undelete” for “Shop”'],
  ['constructor', {}, 'recorded “constructor” for “Shop”'],
])('%s %j', (action, detail, words) => {
  expect(said({ action, subject: 'Shop', detail })).toBe(words)
})

test('several checks are counted, not named', () => {
  const detail = { changed: ['interval_sec'], to: { interval_sec: 30 }, guids: ['a', 'b'] }
  expect(said({ action: 'check.edit', subject: '2 checks', detail })).toBe('changed the interval of 2 checks to 30 s')
  expect(said({ action: 'check.import', subject: '2 checks' })).toBe('imported 2 checks')
})

test('each action has a sentence of its own, whatever its details are', () => {
  const sentences = AUDIT_ACTIONS.map((action) => said({ action, subject: 'Shop' }))
  expect(new Set(sentences).size).toBe(AUDIT_ACTIONS.length)
  const odd = { changed: 'x', from: 7, to: null, role: {}, monitors: 3, scopes: 'x', until: 5, guids: 'x', kind: [] }
  for (const action of AUDIT_ACTIONS) expect(said({ action, subject: 'Shop', detail: odd })).not.toContain('undefined')
  for (const sentence of sentences) expect(sentence).not.toMatch(/[._]|undefined/)
})

test('an action without a sentence does not compile', () => {
  // @ts-expect-error: no row is for it
  const action: AuditAction = 'check.frobnicate'
  expect(AUDIT_ACTIONS).not.toContain(action)
})
