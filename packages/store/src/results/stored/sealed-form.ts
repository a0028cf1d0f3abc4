// Makes and reads sealed rows by SQL: all runs of a check in an hour as one row. Reading returns exactly what was sealed,
// whatever it was. Decision record 7 says what the form is for, and sealing/sealing.ts when rows are sealed.
import { TIMING_NAMES } from '../timings.ts'

/** All columns of results, in the order that `unsealed` selects them. */
export const RUN_COLUMNS = [
  'org_id',
  'check_id',
  'ran_at',
  'monitor_id',
  'success',
  'latency_ms',
  'http_status',
  'error',
  'response_sample',
  ...TIMING_NAMES,
  'retries',
  'cert_expires_at',
] as const

export type RunColumn = (typeof RUN_COLUMNS)[number]

const ORDERED = 'order by r.ran_at, r.monitor_id'
const all = (value: string): string => `array_agg(${value} ${ORDERED})`
const onlyIf = (condition: string, value: string): string => `case when ${condition} then ${value} end`

const MAX_UNSIGNED = 65_535
const ORIGIN = "timestamptz '2001-01-01 00:00:00+00'"
/** Bits of a run: the first says whether it succeeded, and each other one whether one of its timings is missing. */
const FLAGS = ['r.success', ...TIMING_NAMES.map((name) => `r.${name} is null`)]
  .map((flag, bit) => `((${flag})::integer << ${bit})`)
  .join(' | ')
export const OFF_PLACE = 2 + TIMING_NAMES.length
/**
 * Numbers of a run that take two bytes each. The offset from the even step is in milliseconds, and 0 where `times_us` has the
 * times in full.
 */
const NUMBERS = [
  'r.http_status',
  `least(r.latency_ms, ${MAX_UNSIGNED})`,
  ...TIMING_NAMES.map((name) => `coalesce(r.${name}, 0::smallint)::integer`),
  'case when r.is_even then (r.off_us / 1000)::integer else 0 end',
  'r.monitor_n',
]
const byteOf = (value: string, place: 3 | 4): string =>
  `string_agg(substring(int4send(${value}) from ${place} for 1), '' ${ORDERED})`
// First the flags of all runs, then the lower bytes of a number and its higher ones, number after number: the higher ones are
// nearly all the same, which compresses to nothing.
const PACKED = [byteOf(`(${FLAGS})`, 4), ...NUMBERS.flatMap((value) => [byteOf(value, 4), byteOf(value, 3)])].join(
  ' || ',
)

/** SQL aggregates that make the columns of a sealed row from its runs `r`. */
const COLUMNS: Readonly<Record<string, string>> = {
  runs: 'count(*)::integer',
  first_us: 'min(r.at_us)',
  step_us: 'max(r.step_us)',
  monitors: 'array_agg(distinct r.monitor_id)',
  numbers: PACKED,
  // Null where no run has one. A text of null is not the empty text.
  errors: onlyIf('count(r.error) > 0', all('r.error')),
  samples: onlyIf('count(r.response_sample) > 0', all('r.response_sample')),
  retries: onlyIf('count(r.retries) > 0', all('r.retries')),
  cert_expires_at: onlyIf('bool_and(r.has_one_cert)', 'max(r.cert_expires_at)'),
  // Values that do not fit: times off the milliseconds of an even pace, long latencies, certificates that changed.
  times_us: onlyIf('not bool_and(r.is_even)', all('r.at_us')),
  latencies: onlyIf(`max(r.latency_ms) > ${MAX_UNSIGNED}`, all('r.latency_ms')),
  certs: onlyIf('not bool_and(r.has_one_cert)', all('r.cert_expires_at')),
}

/**
 * Selects sealed rows from a relation with the columns of results: one for each check and hour. Insert them into the columns
 * `SEALED_COLUMNS`.
 */
export function sealing(results: string): string {
  return `
    select r.org_id, r.check_id, r.since, ${Object.values(COLUMNS).join(', ')}
    from (
      select *, bool_and(off_us % 1000 = 0 and abs(off_us) <= 32767000) over spans as is_even
      from (
        select *, at_us - min(at_us) over spans - step_us * (n - 1) as off_us
        from (
          select *, row_number() over (spans order by ran_at, monitor_id) as n,
            (dense_rank() over (spans order by monitor_id))::integer as monitor_n,
            (max(at_us) over spans - min(at_us) over spans) / greatest(count(*) over spans - 1, 1) / 1000 * 1000 as step_us,
            count(cert_expires_at) over spans in (0, count(*) over spans)
              and min(cert_expires_at) over spans is not distinct from max(cert_expires_at) over spans as has_one_cert
          from (
            select *, (extract(epoch from ran_at - since) * 1000000)::bigint as at_us
            from (
              select *, ${HOUR_OF('ran_at')} as since from ${results}) t) t
          window spans as (partition by org_id, check_id, since)) t
        window spans as (partition by org_id, check_id, since)) t
      window spans as (partition by org_id, check_id, since)) r
    group by r.org_id, r.check_id, r.since`
}

/** Returns the SQL for the hour of an instant, as `sealing` computes it, which no time zone changes. */
export const HOUR_OF = (instant: string): string => `date_bin('1 hour', ${instant}, ${ORIGIN})`

/** Splits a text at its placeholder, because a query builder cannot insert its parameters into text. */
export function splitAtPlaceholder(textOf: (place: string) => string): [before: string, behind: string] {
  const [before = '', behind = ''] = textOf('$place').split('$place')
  return [before, behind]
}

/** Columns of a sealed row that are not part of its key. */
export const SEALED_VALUES: readonly string[] = Object.keys(COLUMNS)
export const SEALED_COLUMNS = ['org_id', 'check_id', 'since', ...SEALED_VALUES].join(', ')

const byteAt = (plane: number): string => `get_byte(d.numbers, u.i + ${plane} * s.runs)`
/** Returns the SQL for an unsigned number of two bytes. The parentheses are necessary, because both operators bind alike. */
const numberAt = (place: number): string => `(${byteAt(1 + 2 * place)} | (${byteAt(2 + 2 * place)} << 8))`
/** Returns the SQL for a signed number of two bytes. */
const signedAt = (place: number): string => `((${numberAt(place)} # 32768) - 32768)`

const READ: Readonly<Record<RunColumn, string>> = {
  org_id: 's.org_id',
  check_id: 's.check_id',
  ran_at: `s.since + coalesce(u.at_us, s.first_us + s.step_us * u.i + ${signedAt(OFF_PLACE)} * 1000) * interval '1 microsecond'`,
  monitor_id: `d.monitors[${numberAt(OFF_PLACE + 1)}]`,
  success: `${byteAt(0)} & 1 = 1`,
  latency_ms: `coalesce(u.latency_ms, ${numberAt(1)})`,
  http_status: numberAt(0),
  error: 'u.error',
  response_sample: 'u.response_sample',
  ...(Object.fromEntries(
    TIMING_NAMES.map((name, place) => [
      name,
      `case when ${byteAt(0)} & ${2 << place} = 0 then ${signedAt(2 + place)}::smallint end`,
    ]),
  ) as Record<(typeof TIMING_NAMES)[number], string>),
  retries: 'u.retries',
  cert_expires_at: 'coalesce(s.cert_expires_at, u.cert_expires_at)',
}

/** Arrays of a sealed row that only some columns need. A query without these columns omits them. */
const ARRAYS: readonly { of: RunColumn; name: string; array: string }[] = [
  { of: 'ran_at', name: 'at_us', array: 's.times_us' },
  { of: 'latency_ms', name: 'latency_ms', array: 's.latencies' },
  { of: 'error', name: 'error', array: 's.errors' },
  { of: 'response_sample', name: 'response_sample', array: 's.samples' },
  { of: 'retries', name: 'retries', array: 's.retries' },
  { of: 'cert_expires_at', name: 'cert_expires_at', array: 's.certs' },
]

/**
 * Selects `since` and some columns of results for the runs of sealed rows, those of a row in the order of their key. `rows` is a
 * table of sealed rows, or a query of one.
 */
export function unsealed(rows: string, columns: readonly RunColumn[] = RUN_COLUMNS): string {
  const arrays = ARRAYS.filter(({ of }) => columns.includes(of))
  // Each function that reads a compressed value unpacks it, so values with many readers are made plain first.
  return `
    select ${['s.since', ...columns.map((name) => `${READ[name]} as ${name}`)].join(', ')}
    from ${rows} s
    cross join lateral (
      select s.numbers || ''::bytea as numbers, s.monitors || '{}'::text[] as monitors offset 0) d
    cross join lateral rows from (
      ${['generate_series(0, s.runs - 1)', ...arrays.map(({ array }) => `unnest(${array})`)].join(', ')}
    ) as u(${['i', ...arrays.map(({ name }) => name)].join(', ')})`
}
