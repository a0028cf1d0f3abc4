// An hour, or some hours, of a check as one row: in which form it takes least, and what making and reading it costs.
import {
  SEALED_COLUMNS,
  sealing,
  tableOf,
  unsealed,
} from '../../../packages/server/dist/store/results/stored/sealed-form.js'
import { PHASES } from '../../lab/recording.ts'
import { RUN_COLUMNS } from '../../lab/recorded-rows.ts'
import type { Ground } from './ground.ts'
import { runs, type Taken } from './open.ts'

/** One column of a sealed row: how it is made from the runs `r` in the order of their key, and how it is read of run `i`. */
interface Column {
  name: string
  type: string
  make: string
}

export interface Form {
  name: string
  /** The statements that make a table. Its key is the organisation, the check, and `since`: when the span began. */
  create(table: string, compression: string): string[]
  /** Selects what to insert into it: the columns, and the rows of a source in spans of so many hours. */
  seal(source: string, hours: number): { columns: string; rows: string }
  /** Selects the runs of a table, with all fields of a result. */
  read(table: string): string
}

export interface Sealed extends Taken {
  /** Of what the disk has, the index. */
  index: number
  /** Seconds of Postgres' CPU to read it back in order. */
  read: number
}

/** Arrays: a column each, made by one expression. `$table` stands for the table in `read`. */
function arrays({ name, columns, read }: { name: string; columns: readonly Column[]; read: string }): Form {
  const names = columns.map((one) => one.name)
  // Compressed wherever that makes it smaller, and kept in the row.
  const isLong = ({ type }: Column): boolean => /\[\]|bytea/.test(type)
  return {
    name,
    create: (table, compression) => [
      `create table ${table} (org_id bigint not null, check_id bigint not null, since timestamptz not null,
        ${columns.map((one) => `${one.name} ${one.type}`).join(', ')}, primary key (org_id, check_id, since))
        with (toast_tuple_target = 128)`,
      ...columns
        .filter(isLong)
        .flatMap((one) => [
          `alter table ${table} alter ${one.name} set storage main, alter ${one.name} set compression ${compression}`,
        ]),
    ],
    seal: (source, hours) => ({
      columns: `org_id, check_id, since, ${names.join(', ')}`,
      rows: `select org_id, check_id, since, ${columns.map(({ make }) => make).join(', ')}
        from (${numbered(source, hours)}) r group by org_id, check_id, since`,
    }),
    read: (table) => read.replace('$table', table),
  }
}

const ORDERED = 'order by r.ran_at, r.monitor_id'
const all = (value: string) => `array_agg(${value} ${ORDERED})`
const column = (name: string, type: string, make: string): Column => ({ name, type, make })
const PHASE_COLUMNS = PHASES.join(', ')

/** As it comes: an array for each column. */
const PLAIN = {
  name: 'arrays',
  columns: [
    column('ran_ms', 'integer[]', all('r.since_ms::integer')),
    column('latency_ms', 'integer[]', all('r.latency_ms')),
    column('http_status', 'integer[]', all('r.http_status')),
    column('success', 'boolean[]', all('r.success')),
    column('monitor_id', 'text[]', all('r.monitor_id')),
    column('error', 'text[]', all('r.error')),
    column('response_sample', 'text[]', all('r.response_sample')),
    ...PHASES.map((name) => column(name, 'smallint[]', all(`r.${name}`))),
    column('cert_expires_at', 'timestamptz[]', all('r.cert_expires_at')),
  ],
  read: `
    select s.org_id, s.check_id, s.since + u.ran_ms * interval '1 millisecond' as ran_at, u.monitor_id, u.success, u.latency_ms,
      u.http_status, u.error, u.response_sample, ${PHASES.map((name) => `u.${name}`).join(', ')}, u.cert_expires_at
    from $table s cross join lateral unnest(s.ran_ms, s.latency_ms, s.http_status, s.success, s.monitor_id, s.error,
      s.response_sample, ${PHASES.map((name) => `s.${name}`).join(', ')}, s.cert_expires_at)
      as u(ran_ms, latency_ms, http_status, success, monitor_id, error, response_sample, ${PHASE_COLUMNS}, cert_expires_at)`,
}

const CERTIFICATE = column('cert_expires_at', 'timestamptz', 'max(r.cert_expires_at)')
const USUAL_STATUS = [
  column('usual_status', 'smallint', 'mode() within group (order by r.http_status)::smallint'),
  column('failed_at', 'smallint[]', `array_agg(r.n ${ORDERED}) filter (where not r.success)`),
  column('failed_status', 'smallint[]', `array_agg(r.http_status::smallint ${ORDERED}) filter (where not r.success)`),
  column('error', 'text[]', `array_agg(r.error ${ORDERED}) filter (where not r.success)`),
]
const MONITORS = [
  column('monitors', 'text[]', 'array_agg(distinct r.monitor_id)'),
  column('monitor_at', 'bytea', `string_agg(substring(int2send(r.monitor_n), 2), '' ${ORDERED})`),
]
/** Times as what they are off an even pace: `first_ms` and `step_ms` tell the pace. */
const PACE = [
  column('first_ms', 'integer', 'min(r.since_ms)::integer'),
  column('step_ms', 'integer', 'max(r.step_ms)::integer'),
]
const OFF = column('off_ms', 'smallint[]', all('r.off_ms::smallint'))
const SAMPLES = column('response_sample', 'text[]', all('r.response_sample'))
const DICTIONARY = [
  column('samples', 'text[]', 'array_agg(distinct r.response_sample) filter (where r.response_sample is not null)'),
  column('sample_at', 'smallint[]', all('r.sample_n')),
]

const failure = (name: string, i = 'u.i'): string => `s.${name}[array_position(s.failed_at, (${i})::smallint)]`
// A compressed value is decompressed whenever a function looks at it: so it is made a plain one first.
const common = (off: string, more: string): string => `
    select s.org_id, s.check_id, s.since + (s.first_ms + s.step_ms * (u.i - 1) + ${off}) * interval '1 millisecond' as ran_at,
      d.monitors[get_byte(d.monitor_at, u.i::integer - 1)] as monitor_id,
      s.failed_at is null or u.i <> all (s.failed_at) as success, u.latency_ms,
      coalesce(${failure('failed_status')}, s.usual_status) as http_status, ${failure('error')} as error, ${more}, s.cert_expires_at
    from $table s cross join lateral (
      select s.monitors || '{}'::text[] as monitors, s.monitor_at || ''::bytea as monitor_at,
        s.phases || '{}'::smallint[] as phases offset 0) d
    cross join lateral`

const PHASES_ARRAY = column('phases', 'smallint[]', PHASES.map((name) => all(`r.${name}`)).join(' || '))
const phaseOf = (place: number): string => `d.phases[u.i + ${place} * cardinality(d.phases) / ${PHASES.length}]`
const PHASES_READ = PHASES.map((name, place) => `${phaseOf(place)} as ${name}`).join(', ')

/** Only what is unlike the usual, small numbers. */
const TERSE = {
  name: 'terse arrays',
  columns: [
    ...[...PACE, OFF, column('latency_ms', 'smallint[]', all('r.latency_ms::smallint'))],
    ...[...USUAL_STATUS, ...MONITORS, SAMPLES, PHASES_ARRAY, CERTIFICATE],
  ],
  read: `${common(`u.off_ms`, `u.response_sample, ${PHASES_READ}`)}
      unnest(s.off_ms, s.latency_ms, s.response_sample) with ordinality as u(off_ms, latency_ms, response_sample, i)`,
}

/** Each sample once. */
const DISTINCT = {
  name: 'terse arrays, samples once',
  columns: [...TERSE.columns.filter((one) => one !== SAMPLES), ...DICTIONARY],
  read: `${common('u.off_ms', `d.samples[u.sample_at] as response_sample, ${PHASES_READ}`).replace(
    ' as phases',
    " as phases, s.samples || '{}'::text[] as samples",
  )}
      unnest(s.off_ms, s.latency_ms, s.sample_at) with ordinality as u(off_ms, latency_ms, sample_at, i)`,
}

/** That of the product. */
export const BYTES: Form = {
  name: 'bytes',
  create: tableOf,
  seal: (source, hours) => ({ columns: SEALED_COLUMNS, rows: sealing(source, `${hours} hours`) }),
  read: unsealed,
}

export const FORMS: readonly Form[] = [arrays(PLAIN), arrays(TERSE), arrays(DISTINCT), BYTES]

/** What is sealed: checks that run every so many minutes, in rows of so many hours. */
export interface Span {
  hours: number
  every: number
}

/** The runs that are sealed, of one span. Not logged, since this is not what is measured. */
export async function makeSource({ database, checks }: Ground, { hours, every }: Span): Promise<string> {
  const table = `disk_source_${hours}_${every}`
  const query = (text: string, values: readonly unknown[] = []) => database.pools.machines.query(text, [...values])
  await query(`create unlogged table ${table} (like results including all)`)
  await query(
    `insert into ${table} (${RUN_COLUMNS}) ${runs(`generate_series(0, ${hours * 60 - 1}, ${every}) t(m)`)} order by 1, 2, 3`,
    [...[0, 1, checks]],
  )
  await query(`vacuum (analyze) ${table}`)
  return table
}

// Numbered within its span, and what all forms need of it.
const numbered = (source: string, hours: number): string => `
  select *, since_ms - min(since_ms) over w - step_ms * (n - 1) as off_ms
  from (
    select *, (row_number() over o)::smallint as n,
      (dense_rank() over (partition by org_id, check_id, since order by monitor_id))::smallint as monitor_n,
      case when response_sample is not null then (dense_rank() over (partition by org_id, check_id, since
        order by response_sample))::smallint end as sample_n,
      ((max(since_ms) over w - min(since_ms) over w) / greatest(count(*) over w - 1, 1))::integer as step_ms
    from (
      select *, (extract(epoch from ran_at - since) * 1000)::integer as since_ms
      from (select *, date_bin('${hours} hours', ran_at, timestamptz '2026-01-15 10:00:00Z') as since from ${source}) t) t
    window w as (partition by org_id, check_id, since),
      o as (partition by org_id, check_id, since order by ran_at, monitor_id)) t
  window w as (partition by org_id, check_id, since)`

export async function seal(
  ground: Ground,
  { form, source, span, compression }: { form: Form; source: string; span: Span; compression: string },
): Promise<Sealed> {
  const { database, meter, checks } = ground
  const { hours, every } = span
  const name = `${form.name}, ${hours} h, ${compression}${every === 1 ? '' : `, every ${every} min`}`
  const table = `sealed_${name.replaceAll(/\W+/g, '_')}`
  const query = (text: string) => database.pools.machines.query<Record<string, number>>(text)
  for (const statement of form.create(table, compression)) await query(statement)
  await query('checkpoint')
  const [log, cpu] = [await ground.log(), meter.seconds()]
  const { columns, rows } = form.seal(source, hours)
  await query(`insert into ${table} (${columns}) ${rows} order by 1, 2, 3`)
  const taken = { log: (await ground.log()) - log, cpu: meter.seconds() - cpu }
  await query(`vacuum (analyze) ${table}`)
  const { rows: sizes } = await query(
    `select pg_total_relation_size('${table}')::float8 as disk, pg_indexes_size('${table}')::float8 as index`,
  )
  const begun = meter.seconds()
  await checkEqual(ground, { read: form.read(table), source })
  const read = meter.seconds() - begun
  return {
    name,
    results: (checks * hours * 60) / every,
    disk: sizes[0]?.disk ?? 0,
    index: sizes[0]?.index ?? 0,
    read,
    ...taken,
  }
}

/** Reads all of it back. It must be what was sealed. */
async function checkEqual({ database }: Ground, { read, source }: { read: string; source: string }): Promise<void> {
  const sums = `count(*)::integer as runs, sum(extract(epoch from ran_at))::text as times, sum(latency_ms)::integer as latencies,
    count(*) filter (where success)::integer as successes, sum(http_status)::integer as statuses,
    sum(length(error))::integer as errors, sum(length(response_sample))::integer as samples, max(monitor_id) as monitor_id,
    ${PHASES.map((name) => `sum(${name})::integer as ${name}, count(${name})::integer as with_${name}`).join(', ')}, max(cert_expires_at)::text as cert_expires_at`
  const of = async (from: string) =>
    (await database.pools.machines.query<object>(`select ${sums} from ${from}`)).rows[0]
  const [sealed, sent] = [await of(`(${read}) s`), await of(source)]
  if (JSON.stringify(sealed) !== JSON.stringify(sent)) {
    throw new Error(`what was sealed reads otherwise: ${JSON.stringify(sealed)} is not ${JSON.stringify(sent)}`)
  }
}
