// A heartbeat, its job that calls over HTTP, and what people are told of it.
import { createHeartbeat, type NewHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { sweepHeartbeats } from '@dogwatch/domain/heartbeats/sweep'
import { ACCOUNT, type Org, type World } from '../support/world.ts'

export interface Told {
  type: string
  data: Record<string, unknown>
}

export interface Ping {
  n: number
  kind: string
  exit_code: number | null
  rid: string | null
  duration_ms: number | null
  body: string | null
}

export interface Story {
  org: Org
  guid: string
  token: string
  /** Calls its URL with this behind it, and expects to be answered OK. */
  call(suffix?: string, body?: string): Promise<void>
  sweep(): Promise<number>
  /** As the account API shows it. */
  shown(): Promise<Record<string, unknown>>
  told(): Promise<Told[]>
  /** The types of what was told, in order. */
  types(): Promise<string[]>
  /** Newest first. */
  pings(): Promise<Ping[]>
}

const HOURLY: NewHeartbeat = {
  name: 'backup',
  interval_sec: 3600,
  grace_sec: 300,
  resend_interval_sec: 0,
  show_on_status_page: false,
}

/** An org with one heartbeat, called hourly with five minutes of grace unless it is said otherwise. */
export async function story(
  w: World,
  wanted: Partial<NewHeartbeat> = {},
  { besides = false }: { besides?: boolean } = {},
): Promise<Story> {
  // What earlier stories left behind would be swept as well.
  if (!besides) await w.rows('delete from heartbeats')
  const org = await w.org()
  const { guid, token } = await createHeartbeat(w.deps, org.org_id, { ...HOURLY, ...wanted })
  const pat = await w.pat(org)
  const told = async () =>
    (await w.rows(
      `select e.type, e.data from events e where e.org_id = $1
       order by e.created_at, (e.data ->> 'since'), e.type`,
      org.org_id,
    )) as unknown as Told[]
  return {
    org,
    guid,
    token,
    call: async (suffix = '', body) => {
      const answer = await fetch(
        `${w.direct}/ping/${token}${suffix}`,
        body === undefined ? {} : { method: 'POST', body },
      )
      const line = await answer.text()
      if (answer.status !== 200 || line !== 'OK') throw new Error(`answered ${answer.status} ${line}`)
    },
    sweep: () => sweepHeartbeats(w.deps),
    shown: async () => {
      const answer = await fetch(`${w.url}${ACCOUNT}/heartbeats`, { headers: { Authorization: `Bearer ${pat}` } })
      const all = (await answer.json()) as Record<string, unknown>[]
      return all.find((one) => one.guid === guid) ?? {}
    },
    told,
    types: async () => (await told()).map(({ type }) => type),
    pings: async () =>
      (await w.rows(
        `select n, kind, exit_code, rid, duration_ms, body from pings where org_id = $1 order by n desc`,
        org.org_id,
      )) as unknown as Ping[],
  }
}
