// A world in which time passes while the sweeps go on, for stories about what falls silent.
import { sweepUnmonitored } from '@dogwatch/domain/checks/unmonitored'
import type { Deps } from '@dogwatch/domain/deps'
import { sweepPresence } from '@dogwatch/domain/monitors/presence'
import { type Monitor, type Org, result, type World } from '../support/world.ts'

export interface Told {
  type: string
  subject: string
  data: Record<string, unknown> & {
    checks: { guid: string; url?: string; since: string; last_result_at?: string }[]
    monitors: { id: string; name: string; since: string; last_seen_at: string; checks: number }[]
    still_unmonitored: { guid: string }[]
    still_offline: { id: string }[]
  }
}

/** Both sweeps, as the worker runs them. */
export async function sweep(deps: Deps): Promise<void> {
  await sweepPresence(deps)
  await sweepUnmonitored(deps)
}

/** Lets time pass, half a minute at a time; each time something may happen before the sweeps. */
export async function pass(w: World, seconds: number, meanwhile: () => Promise<unknown> = async () => {}) {
  for (let passed = 0; passed < seconds; passed += 30) {
    w.clock.forward(30)
    await meanwhile()
    await sweep(w.deps)
  }
}

/** A healthy result of each check, that ran `ago` seconds before now. */
export async function run(w: World, monitor: Monitor, guids: readonly string[], ago = 0): Promise<void> {
  const ran_at = new Date(w.clock.now().getTime() - ago * 1000).toISOString()
  await monitor.client.upload(guids.map((guid) => result(guid, { ran_at })))
}

/** What was told to an org, in order. */
export async function told(w: World, { org_id }: Org): Promise<Told[]> {
  const rows = await w.rows(
    'select type, subject, data from events where org_id = $1 order by created_at, type',
    org_id,
  )
  return rows as unknown as Told[]
}

export async function types(w: World, org: Org): Promise<string[]> {
  return (await told(w, org)).map(({ type }) => type)
}

/** So many checks for these monitors: more than a plan lets an org import. Returns their guids. */
export async function manyChecks(w: World, org: Org, count: number, monitors: readonly Monitor[]): Promise<string[]> {
  const ids = monitors.map(({ id }) => id)
  const [first = ''] = await w.checks(org, [{ name: 'check 1' }], ids)
  await w.rows(
    `with one as (select * from checks where org_id = $1 and guid = $2),
      copies as (
        insert into checks (org_id, guid, name, url, enabled, restricted, interval_sec, timeout_sec, disable_redirects,
          insecure_skip_verify, headers, post_data, match_string, match_mode, status_code_op, status_code_value,
          cert_expiry_warn_days, max_response_time_ms, invert_result, result_detail_max_chars, down_interval_sec,
          resend_interval_sec)
        select org_id, gen_random_uuid()::text, 'check ' || n, url, enabled, restricted, interval_sec, timeout_sec,
          disable_redirects, insecure_skip_verify, headers, post_data, match_string, match_mode, status_code_op,
          status_code_value, cert_expiry_warn_days, max_response_time_ms, invert_result, result_detail_max_chars,
          down_interval_sec, resend_interval_sec
        from one, generate_series(2, $3::integer) as n
        returning org_id, check_id, guid, result_detail_max_chars),
      named as (insert into check_guids (guid, org_id, check_id) select guid, org_id, check_id from copies)
     insert into assignments (monitor_id, guid, org_id, check_id, active, result_detail_max_chars)
     select m.id, guid, org_id, check_id, true, result_detail_max_chars from copies, unnest($4::text[]) as m(id)`,
    org.org_id,
    first,
    count,
    ids,
  )
  return (await w.rows('select guid from checks where org_id = $1 order by check_id', org.org_id)).map(({ guid }) =>
    String(guid),
  )
}
