// Tenants do not see each other: worlds of several orgs, built at random, read through every token.

import { document as account } from '@dogwatch/contract/account'
import { createChannel } from '@dogwatch/domain/channels/edit'
import { assignMonitors, unassignMonitors } from '@dogwatch/domain/checks/assign'
import { createHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { addMember } from '@dogwatch/domain/organisations/members'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { ACCOUNT, type Monitor, type Org, PREFIX, result, type World, world } from '../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

const PATHS = Object.keys(account.paths as object)

const org = fc.record({
  checks: fc.nat(3),
  monitors: fc.nat(2),
  heartbeats: fc.nat(2),
  channels: fc.nat(2),
  members: fc.nat(2),
  results: fc.boolean(),
  shares: fc.boolean(),
})

/** An org whose every text carries its mark, and what of it is to be found nowhere else. */
interface Tenant {
  org: Org
  mark: string
  guids: string[]
  heartbeats: string[]
  monitors: Monitor[]
  token: string
}

async function build(wanted: typeof org extends fc.Arbitrary<infer T> ? T : never, shared: Monitor): Promise<Tenant> {
  const made = await w.org()
  const mark = `mark${made.org_id}x`
  await w.rows('update organisations set name = $2 where org_id = $1', made.org_id, mark)
  await w.rows("update people set email = $2 || '@example.com' where person_id = $1", made.owner_id, mark)
  const monitors: Monitor[] = []
  for (let i = 0; i < wanted.monitors; i++) monitors.push(await w.monitor(made, `${mark} monitor`))
  const entries = Array.from({ length: wanted.checks }, (_, i) => ({
    name: `${mark} ${i}`,
    url: `https://${mark}.example.com/`,
    match_string: mark,
  }))
  const guids = await w.checks(
    made,
    entries,
    monitors.map(({ id }) => id),
  )
  for (const guid of guids) {
    if (wanted.shares) await assignMonitors(w.deps, guid, [shared.id])
    for (const one of [...monitors, ...(wanted.shares ? [shared] : [])]) {
      if (wanted.results) await one.client.upload([result(guid, { error: mark, response_sample: mark })])
    }
    if (wanted.shares && wanted.results) await unassignMonitors(w.deps, guid, [shared.id])
  }
  const heartbeats: string[] = []
  for (let i = 0; i < wanted.heartbeats; i++) {
    const { guid, token } = await createHeartbeat(w.deps, made.org_id, {
      name: mark,
      interval_sec: 60,
      grace_sec: 0,
      resend_interval_sec: 0,
      show_on_status_page: true,
    })
    heartbeats.push(guid, token)
  }
  for (let i = 0; i < wanted.channels; i++) {
    await createChannel(w.deps, made.org_id, {
      kind: 'webhook',
      name: mark,
      webhook_url: `https://${mark}.example.com/`,
      webhook_secret: mark,
    })
  }
  for (let i = 0; i < wanted.members; i++) await addMember(w.deps, made.org_id, `${mark}${i}@example.com`)
  return { org: made, mark, guids, heartbeats, monitors, token: await w.pat(made) }
}

/** All that a tenant's token and monitors can get to read, with every guid there is tried on every path. */
async function readEverything(tenant: Tenant, everyGuid: string[]): Promise<string> {
  const texts: string[] = []
  for (const path of PATHS) {
    for (const guid of path.includes('{guid}') ? everyGuid : ['']) {
      const { text } = await w.http
        .get(`${ACCOUNT}${path.replace('{guid}', guid)}`)
        .set('Authorization', `Bearer ${tenant.token}`)
      texts.push(text)
    }
  }
  for (const { key, client } of tenant.monitors) {
    texts.push((await w.http.get(`${PREFIX}/checks`).set('Authorization', `Bearer ${key}`)).text)
    // Results for what is not its own land nowhere.
    await client.upload(everyGuid.map((guid) => result(guid, { error: tenant.mark, ran_at: '2026-11-19T00:00:00Z' })))
  }
  return texts.join('\n')
}

test('property: no answer to one org holds a guid, id, name or address of another', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(org, { minLength: 2, maxLength: 3 }), async (wanted) => {
      const shared = await w.monitor(null, 'fleet')
      const tenants: Tenant[] = []
      for (const one of wanted) tenants.push(await build(one, shared))
      const everyGuid = tenants.flatMap(({ guids }) => guids)
      for (const tenant of tenants) {
        const seen = await readEverything(tenant, everyGuid)
        expect(seen).toContain(tenant.mark)
        for (const other of tenants) {
          if (other === tenant) continue
          const secrets = [other.mark, ...other.guids, ...other.heartbeats, ...other.monitors.map(({ id }) => id)]
          expect(secrets.filter((secret) => seen.includes(secret))).toEqual([])
        }
      }
      const [{ strays } = { strays: -1 }] = await w.rows(
        'select count(*) as strays from results r join monitors m on m.id = r.monitor_id where m.org_id <> r.org_id',
      )
      expect(strays).toBe(0)
      await w.rows('update monitors set enabled = false where org_id is null')
    }),
    { numRuns: 12 },
  )
})
