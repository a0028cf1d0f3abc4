// Stores status pages: their addresses, the checks and heartbeats that they show, the names of these on the page, and
// their history.
import { sql } from 'kysely'
import type { Db } from './database.ts'

export interface StatusPageRow {
  slug: string
  title: string
  description: string
}

export async function findStatusPage(db: Db, org_id: number): Promise<StatusPageRow | undefined> {
  return db
    .selectFrom('status_pages')
    .select(['slug', 'title', 'description'])
    .where('org_id', '=', org_id)
    .executeTakeFirst()
}

export interface FoundStatusPage extends StatusPageRow {
  org_id: number
  plan: string
  custom_limits: object | null
}

/** Finds the page with an address, if its organisation publishes it. */
export async function findShownStatusPage(db: Db, slug: string): Promise<FoundStatusPage | undefined> {
  return db
    .selectFrom('status_pages')
    .innerJoin('organisations', 'organisations.org_id', 'status_pages.org_id')
    .select(['status_pages.org_id', 'slug', 'title', 'description', 'plan', 'custom_limits'])
    .where('slug', '=', slug)
    .where('status_page_enabled', '=', true)
    .where('organisations.suspended_at', 'is', null)
    .executeTakeFirst()
}

/** Stores a page. Returns false if another org has the slug; the transaction has then failed. */
export async function upsertStatusPage(db: Db, org_id: number, page: StatusPageRow): Promise<boolean> {
  try {
    await db
      .insertInto('status_pages')
      .values({ org_id, ...page })
      .onConflict((conflict) => conflict.column('org_id').doUpdateSet(page))
      .execute()
    return true
  } catch (error) {
    if ((error as { constraint?: string }).constraint === 'status_pages_slug_key') return false
    throw error
  }
}

/** Check or heartbeat that a page can show, with its entry if it has one. */
export interface SubjectRow {
  kind: 'check' | 'heartbeat'
  /** Value of `check_id` or `heartbeat_id`, by `kind`. */
  id: number
  guid: string
  name: string
  public_name: string | null
  position: number | null
  /**
   * Whether the page shows the item: for a check, whether it has an entry; for a heartbeat, its setting `show_on_status_page`.
   */
  is_shown: boolean
}

/** Lists all checks and heartbeats of an org: those with an entry on its status page first, in the order of the page. */
export async function listSubjects(db: Db, org_id: number): Promise<SubjectRow[]> {
  const { rows } = await sql<SubjectRow>`
    select 'check' as kind, c.check_id as id, c.guid, c.name, e.public_name, e.position, e.position is not null as is_shown
    from checks c left join status_page_entries e on e.org_id = c.org_id and e.check_id = c.check_id
    where c.org_id = ${org_id} and not c.deleted
    union all
    select 'heartbeat', h.heartbeat_id, h.guid, h.name, e.public_name, e.position, h.show_on_status_page
    from heartbeats h left join status_page_entries e on e.org_id = h.org_id and e.heartbeat_id = h.heartbeat_id
    where h.org_id = ${org_id}
    order by position nulls last, kind, id`.execute(db)
  return rows
}

/** Locks an org's heartbeats, so that none is deleted before the transaction ends. */
export async function holdHeartbeats(db: Db, org_id: number): Promise<void> {
  await db.selectFrom('heartbeats').select('heartbeat_id').where('org_id', '=', org_id).forKeyShare().execute()
}

export interface NewEntry {
  kind: 'check' | 'heartbeat'
  id: number
  public_name: string
}

/**
 * Replaces the entries of a page, in the given order. Marks exactly the heartbeats among them as shown. The marks of `undecided`
 * heartbeats stay.
 */
export async function replaceEntries(
  db: Db,
  org_id: number,
  entries: readonly NewEntry[],
  undecided: readonly number[] = [],
): Promise<void> {
  await db.deleteFrom('status_page_entries').where('org_id', '=', org_id).execute()
  const rows = entries.map(({ kind, id, public_name }, index) => ({
    org_id,
    position: index + 1,
    public_name,
    check_id: kind === 'check' ? id : null,
    heartbeat_id: kind === 'heartbeat' ? id : null,
  }))
  if (rows.length > 0) await db.insertInto('status_page_entries').values(rows).execute()
  const shown = entries.filter(({ kind }) => kind === 'heartbeat').map(({ id }) => id)
  await sql`
    update heartbeats set show_on_status_page = not show_on_status_page
    where org_id = ${org_id} and show_on_status_page <> (heartbeat_id = any(${shown}::bigint[]))
      and heartbeat_id <> all(${[...undecided]}::bigint[])`.execute(db)
}

export interface ShownCheck {
  position: number
  public_name: string
  check_id: number
  guid: string
  tags: string[]
  interval_sec: number
  enabled: boolean
  created_at: string
}

export async function listShownChecks(db: Db, org_id: number): Promise<ShownCheck[]> {
  const { rows } = await sql<ShownCheck>`
    select e.position, e.public_name, e.check_id, c.guid, c.tags, c.interval_sec, c.enabled, wire_time(c.created_at) as created_at
    from status_page_entries e join checks c on c.org_id = e.org_id and c.check_id = e.check_id and not c.deleted
    where e.org_id = ${org_id} order by e.position`.execute(db)
  return rows
}

export interface ShownHeartbeat {
  position: number
  public_name: string
  heartbeat_id: number
  guid: string
  tags: string[]
  is_paused: boolean
  state: 'new' | 'up' | 'down'
  down_since: string | null
  /** Time at which the heartbeat becomes overdue. Null if it cannot become overdue. */
  due_at: string | null
  created_at: string
}

export async function listShownHeartbeats(db: Db, org_id: number): Promise<ShownHeartbeat[]> {
  const { rows } = await sql<ShownHeartbeat>`
    select e.position, e.public_name, e.heartbeat_id, h.guid, h.tags, not (h.enabled and h.platform_enabled) as is_paused, h.state,
      wire_time(h.down_since) as down_since, wire_time(h.due_at) as due_at, wire_time(h.created_at) as created_at
    from status_page_entries e join heartbeats h on h.org_id = e.org_id and h.heartbeat_id = e.heartbeat_id
    where e.org_id = ${org_id} and h.show_on_status_page order by e.position`.execute(db)
  return rows
}

export interface HeartbeatDay {
  heartbeat_id: number
  day: string
  /** Downtime on the day, in seconds. An open incident counts until `until`. */
  down_sec: number
}

export interface TimeSpan {
  from: string
  until: string
}

/** Lists the days (UTC) with pings or downtime of a heartbeat. */
export async function listHeartbeatDays(
  db: Db,
  org_id: number,
  heartbeat_ids: readonly number[],
  { from, until }: TimeSpan,
): Promise<HeartbeatDay[]> {
  const { rows } = await sql<HeartbeatDay>`
    select heartbeat_id, day::text as day, sum(down_sec)::float8 as down_sec from (
      select heartbeat_id, day, 0 as down_sec from heartbeat_days
      where org_id = ${org_id} and heartbeat_id = any(${[...heartbeat_ids]}::bigint[])
        and day >= (${from}::timestamptz at time zone 'UTC')::date
        and day <= (${until}::timestamptz at time zone 'UTC')::date
      union all
      select i.heartbeat_id, (d.day at time zone 'UTC')::date,
        extract(epoch from least(i.over, d.day + interval '24 hours') - greatest(i.began_at, d.day))
      from (
        select heartbeat_id, began_at, least(coalesce(ended_at, ${until}::timestamptz), ${until}::timestamptz) as over
        from incidents
        where org_id = ${org_id} and heartbeat_id = any(${[...heartbeat_ids]}::bigint[])
          and began_at < ${until}::timestamptz and (ended_at is null or ended_at > ${from}::timestamptz)) i
      cross join lateral generate_series(
        date_trunc('day', greatest(i.began_at, ${from}::timestamptz), 'UTC'), i.over, interval '24 hours') as d(day)
      where i.over > d.day) days
    group by 1, 2`.execute(db)
  return rows
}

export interface ShownIncident {
  check_id: number | null
  heartbeat_id: number | null
  began_at: string
  ended_at: string | null
}

/** Lists the incidents of a page's checks and heartbeats in a span of time, newest first. */
export async function listShownIncidents(
  db: Db,
  org_id: number,
  shown: { check_ids: readonly number[]; heartbeat_ids: readonly number[] },
  { from, until }: TimeSpan,
  limit: number,
): Promise<ShownIncident[]> {
  const { rows } = await sql<ShownIncident>`
    select check_id, heartbeat_id, wire_time(began_at) as began_at, wire_time(ended_at) as ended_at from incidents
    where org_id = ${org_id} and began_at <= ${until}::timestamptz
      and (ended_at is null or ended_at > ${from}::timestamptz)
      and (check_id = any(${[...shown.check_ids]}::bigint[]) or heartbeat_id = any(${[...shown.heartbeat_ids]}::bigint[]))
    order by incidents.began_at desc limit ${limit}`.execute(db)
  return rows
}
