// Describes what the demo shows: its monitors, checks and heartbeats, and the events of its invented history.

/** Number of days before the demo whose events are described here. Similar events happen in the months before. */
export const STORY_DAYS = 30
export const HISTORY_DAYS = 90
/** Interval of each check, now and in the invented history. */
export const INTERVAL_SEC = 30
export const HISTORY_INTERVAL_SEC = 300

export interface DemoMonitor {
  /** Name of the folder for the state of the monitor. */
  key: string
  name: string
  region: string
  country: string
  city: string
  /** Time that is added to each run, because the monitor seems to be far away. All monitors really run on this machine. */
  far_ms: number
}

export const MONITORS: readonly DemoMonitor[] = [
  { key: 'frankfurt', name: 'Demo Frankfurt', region: 'eu-central', country: 'DE', city: 'Frankfurt', far_ms: 10 },
  { key: 'virginia', name: 'Demo Virginia', region: 'us-east', country: 'US', city: 'Ashburn', far_ms: 90 },
  { key: 'singapore', name: 'Demo Singapore', region: 'ap-southeast', country: 'SG', city: 'Singapore', far_ms: 420 },
].map((one) => ({ ...one, city: `${one.city} (simulated)` }))

/** A span of failures of a check, in minutes before the demo was made. */
export interface PastOutage {
  ago_min: number
  /** Infinity if the outage goes on. */
  for_min: number
  error: string
  http_status: number
  latency_ms: number
}

export interface DemoCheck {
  key: string
  name: string
  /** Name of the check on the status page. Absent if the status page does not show the check. */
  public_name?: string
  url(site: DemoPorts): string
  /** Further fields of the check's definition. */
  fields?: Readonly<Record<string, unknown>>
  usual_ms: number
  http_status: number
  outages: readonly PastOutage[]
  /** Pause of the check: the number of hours since it began, and its length in hours. */
  paused?: { ago_h: number; for_h: number }
  /** Number of days since the check lost its last monitor. Absent if the check has monitors. */
  unmonitored_days?: number
}

export interface DemoPorts {
  http: number
  tls: number
  tcp: number
}

const DAY_MIN = 1440
const HOUR_MIN = 60

const at = (days: number, hours: number, for_min: number): PastOutage => ({
  ...{ ago_min: days * DAY_MIN + hours * HOUR_MIN, for_min },
  ...{ error: 'status: the status is 503', http_status: 503, latency_ms: 38 },
})
const timedOut = (days: number, hours: number, for_min: number): PastOutage => ({
  ...at(days, hours, for_min),
  ...{ error: 'timeout: no response within 10 s', http_status: 0, latency_ms: 10_000 },
})

const slow = (days: number, hours: number, for_min: number, latency_ms: number): PastOutage => ({
  ...at(days, hours, for_min),
  ...{ error: `slow: ${latency_ms} ms is more than 3000 ms`, http_status: 200, latency_ms },
})

/** Outages of the check that flaps on some days. */
const FLAPPING = [27, 22, 18, 13, 9, 6, 4, 2, 1].flatMap((day, n) =>
  Array.from({ length: 3 + (n % 4) }, (_, i) => at(day, 9 - i * (0.75 + (n % 3) / 4), 5 + ((n + i) % 3) * 5)),
)

const onSite =
  (path: string) =>
  ({ http }: DemoPorts): string =>
    `http://127.0.0.1:${http}${path}`

export const CHECKS: readonly DemoCheck[] = [
  {
    ...{ key: 'shop', name: 'Demo shop', public_name: 'Shop', url: onSite('/'), usual_ms: 42, http_status: 200 },
    ...{ fields: { match_string: 'All is well' }, outages: [timedOut(17, 3, 25)] },
  },
  {
    ...{ key: 'health', name: 'Demo health', public_name: 'API', url: onSite('/health'), usual_ms: 18 },
    ...{ http_status: 200, fields: { match_string: '"ok"' }, outages: [at(24, 14, 40), at(11, 6, 15)] },
  },
  {
    ...{ key: 'checkout', name: 'Demo checkout (flapping)', public_name: 'Checkout', url: onSite('/checkout') },
    // This check goes down every few minutes, and sends an alert each time.
    ...{ usual_ms: 61, http_status: 200, fields: { alert_every_change: true }, outages: FLAPPING },
  },
  {
    ...{ key: 'search', name: 'Demo search (slow)', public_name: 'Search', url: onSite('/slow'), usual_ms: 710 },
    ...{
      http_status: 200,
      fields: { max_response_time_ms: 3000 },
      outages: [slow(20, 10, 30, 3412), slow(5, 16, 20, 3187)],
    },
  },
  {
    ...{ key: 'catalogue', name: 'Demo catalogue (paused for maintenance)', public_name: 'Catalogue' },
    ...{
      url: onSite('/catalogue'),
      usual_ms: 95,
      http_status: 200,
      outages: [],
      paused: { ago_h: 9 * 24 + 4, for_h: 5 },
    },
  },
  {
    ...{ key: 'certificate', name: 'Demo certificate (about to expire)', url: ({ tls }) => `tls://127.0.0.1:${tls}` },
    // The certificate is self-signed.
    ...{ usual_ms: 33, http_status: 0, fields: { insecure_skip_verify: true, cert_expiry_warn_days: 14 } },
    outages: [
      {
        ...{ ago_min: 5 * DAY_MIN, for_min: Number.POSITIVE_INFINITY, http_status: 0, latency_ms: 33 },
        error: 'cert_expiry: the certificate has 13.9 days left; the check fails at 14 or fewer',
      },
    ],
  },
  {
    ...{ key: 'queue', name: 'Demo message queue', public_name: 'Message queue', usual_ms: 4, http_status: 0 },
    ...{ url: ({ tcp }) => `tcp://127.0.0.1:${tcp}`, fields: { match_string: 'ready' } },
    outages: [{ ...at(14, 20, 55), error: 'refused: the connection was refused', http_status: 0, latency_ms: 2 }],
  },
  {
    ...{
      key: 'legacy',
      name: 'Demo legacy mail (no monitor)',
      url: onSite('/legacy'),
      usual_ms: 130,
      http_status: 200,
    },
    ...{ outages: [timedOut(25, 5, 35)], unmonitored_days: 3 },
  },
]

/** Validity of the demo's certificate, in days. It is below the number at which the check warns. */
export const CERTIFICATE_DAYS = 9

export interface DemoHeartbeat {
  name: string
  public_name?: string
  interval_sec: number
  grace_sec: number
  /** Age of the heartbeat's last ping at the end of the invented history. Until then, the job pinged once in each interval. */
  last_ago_sec: number
  /** Output that the job sends with its ping. */
  body: string
  /** Pause of the heartbeat's job while the demo runs. Absent if the job no longer runs. */
  every_sec?: number
}

export const HEARTBEATS: readonly DemoHeartbeat[] = [
  {
    ...{ name: 'Demo backup', public_name: 'Backup', interval_sec: 60, grace_sec: 60, last_ago_sec: 10, every_sec: 30 },
    body: 'copied 124 files\nall is well\n',
  },
  {
    ...{ name: 'Demo nightly report', public_name: 'Nightly report', interval_sec: 86_400, grace_sec: 7200 },
    ...{ last_ago_sec: 18_000, every_sec: 43_200, body: 'report for 312 customers sent\n' },
  },
  {
    ...{ name: 'Demo invoice export (its job died)', interval_sec: 21_600, grace_sec: 3600 },
    ...{ last_ago_sec: 2 * 86_400, body: 'exported 58 invoices\n' },
  },
]

export const STATUS_PAGE = {
  slug: 'demo',
  title: 'Demo status',
  description: `This is the demo of Dogwatch. The data of the ${HISTORY_DAYS} days before its first start is made up. Everything since then is measured on this machine.`,
}
