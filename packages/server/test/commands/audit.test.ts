// What operators do to an org at the command line is in its audit log, and no secret with it.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Operator, operator } from './operator.ts'

let o: Operator
beforeAll(async () => {
  o = await operator()
})
afterAll(() => o.close())

async function deedsOf(org_id: number): Promise<string[]> {
  const sql = 'select actor, impersonator, action, subject from audit_entries where org_id = $1 order by entry_id'
  return (await o.rows(sql, org_id)).map(({ actor, impersonator, action, subject }) => {
    expect([actor, impersonator]).toEqual(['operator', null])
    return `${String(action)} ${String(subject)}`
  })
}

test('each command that changes something of an org leaves an entry', async () => {
  const owner = 'alice@example.com'
  const made = await o.answer(['org', 'create', '--name', 'Us', '--plan', 'solo', '--owner-email', owner])
  const { org_id } = made as { org_id: number }
  const org = ['--org', String(org_id)]
  const bob = ['--email', 'bob@example.com']
  await o.answer(['org', 'set-plan', ...org, '--plan', 'team'])
  await o.answer(['org', 'set-status-page', ...org, 'on'])
  await o.answer(['org', 'suspend', ...org])
  await o.answer(['org', 'resume', ...org])
  await o.answer(['member', 'add', ...org, ...bob])
  await o.answer(['member', 'add', ...org, ...bob])
  await o.answer(['org', 'set-owner', ...org, ...bob])
  await o.answer(['member', 'remove', ...org, '--email', owner])
  await o.answer(['user', 'set-password', ...bob], { input: 'hush hush hush\n' })
  await o.answer(['user', 'disable', ...bob])
  const file = JSON.stringify([{ name: 'shop', url: 'https://hush:hush@example.com/', interval_sec: 60 }])
  const imported = await o.answer(['check', 'import', ...org, '--file', '-'], { input: file })
  const check = ['--guid', (imported as { guids: [string] }).guids[0]]
  await o.answer(['check', 'assign', ...check, '--monitors', 'all'])
  await o.answer(['check', 'unassign', ...check, '--monitors', 'all'])
  await o.answer(['check', 'disable', ...check])
  await o.answer(['check', 'delete', ...check])
  const beats = ['--interval-sec', '60', '--grace-sec', '0']
  const job = await o.answer(['heartbeat', 'create', ...org, '--name', 'job', ...beats])
  await o.answer(['heartbeat', 'disable', '--guid', (job as { guid: string }).guid])
  const hook = ['--kind', 'webhook', '--webhook-url', 'https://example.com/hush', '--webhook-secret', 'hush']
  const channel = await o.answer(['channel', 'create', ...org, '--name', 'hook', ...hook])
  const id = ['--id', String((channel as { id: number }).id)]
  await o.answer(['channel', 'test', ...id])
  await o.answer(['channel', 'delete', ...id])
  const { id: monitor } = { id: (await o.monitor(org_id)).monitor_id }
  await o.answer(['monitor', 'disable', '--id', monitor])
  const minted = (await o.answer(['enrollment-token', 'create', ...org])) as { token: string }
  await o.answer(['enrollment-token', 'revoke', '--token', minted.token])
  const pat = (await o.answer(['api-token', 'create', ...org])) as { token: string }
  await o.answer(['api-token', 'revoke', '--token', pat.token])
  const deeds = await deedsOf(org_id)
  expect(deeds).toEqual([
    'organisation.create Us',
    'organisation.plan Us',
    'status_page.show Us',
    'organisation.suspend Us',
    'organisation.resume Us',
    'member.add bob@example.com',
    'organisation.hand_over bob@example.com',
    'member.remove alice@example.com',
    'person.set_password bob@example.com',
    'person.disable bob@example.com',
    'check.import 1 check',
    'check.assign shop',
    'check.unassign shop',
    'check.pause shop',
    'check.delete shop',
    'heartbeat.create job',
    'heartbeat.pause job',
    'channel.create hook',
    'channel.test hook',
    'channel.delete hook',
    `monitor.disable rack 4 (${monitor})`,
    'enrollment_token.create enrollment token',
    'enrollment_token.revoke enrollment token',
    expect.stringMatching(/^api_token.create number \d+$/),
    expect.stringMatching(/^api_token.revoke number \d+$/),
  ])
  const entries = await o.rows('select a::text as entry from audit_entries a')
  expect(JSON.stringify(entries)).not.toMatch(/hush|dogwatch_/)
})

test('what is refused leaves none', async () => {
  const org_id = await o.org('free')
  const before = await deedsOf(org_id)
  await o.refusal(['org', 'set-status-page', '--org', String(org_id), 'on'])
  await o.refusal(['member', 'add', '--org', String(org_id), '--email', 'carol@example.com'])
  expect(await deedsOf(org_id)).toEqual(before)
})
