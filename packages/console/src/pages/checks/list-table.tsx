// Renders the table of the list of checks.
import type { ListedRow, TagGroup } from '@dogwatch/domain/checks/list'
import type { RecentRuns } from '@dogwatch/domain/checks/recent-runs'
import type { Care } from '@dogwatch/domain/incidents/care'
import { StateMark } from '../../design/badge.tsx'
import { HourBar } from '../../parts/bars.tsx'
import { CareMarks } from '../../parts/care.tsx'
import { Ago, Since } from '../../parts/time.tsx'
import { Link, useMay } from '../../rights.tsx'
import { BULK_PATH } from './list-view.ts'
import { Latency, Share } from './shown.tsx'

interface ListRows {
  recentOf: ReadonlyMap<number, RecentRuns>
  /** Start of the first hour that is shown. */
  from: Date
  selected: ReadonlySet<string>
  /** Whether the list is sorted by the average of the last 24 hours. */
  isByLatency: boolean
  /** Acknowledgements and mutes, by guid of the check. */
  careOf: ReadonlyMap<string, Care>
}

const COLUMNS = [
  'State',
  'Name',
  'Time in this state',
  'Last 24 hours',
  'Uptime 24 h',
  'Uptime 7 d',
  'Last run',
] as const
const AVERAGE = 'Average (24 h)'
const NUMBERS: readonly string[] = ['Uptime 24 h', 'Uptime 7 d', 'Last run', AVERAGE]

export function CheckTable({ groups, ...rows }: ListRows & { groups: readonly TagGroup<ListedRow>[] }) {
  const isGrouped = groups.some(({ tag }) => tag !== undefined) || groups.length > 1
  const maySelect = useMay()('POST', BULK_PATH)
  return (
    <table class="stack checks">
      <thead>
        <tr>
          {maySelect ? (
            <th scope="col" class="pick">
              <span class="heard">Select</span>
              <input type="checkbox" aria-label="Select all checks on this page" data-select-all hidden />
            </th>
          ) : null}
          {COLUMNS.map((one) => (one === 'Last run' && rows.isByLatency ? AVERAGE : one)).map((label) => (
            <th scope="col" class={NUMBERS.includes(label) ? 'number' : undefined}>
              {label}
            </th>
          ))}
        </tr>
      </thead>
      {groups.map(({ tag, checks }) => (
        <tbody>
          {isGrouped ? (
            <tr class="group">
              <th scope="rowgroup" colSpan={COLUMNS.length + 1}>
                {tag ?? 'Untagged'}
              </th>
            </tr>
          ) : null}
          {checks.map((check) => (
            <CheckRow check={check} maySelect={maySelect} {...rows} />
          ))}
        </tbody>
      ))}
    </table>
  )
}

interface RowProps extends ListRows {
  check: ListedRow
  maySelect: boolean
}

function CheckRow({ check, maySelect, recentOf, from, selected, isByLatency, careOf }: RowProps) {
  const { guid, name, target, tags } = check
  const recent = recentOf.get(check.check_id)
  return (
    <tr data-row={guid}>
      {maySelect ? (
        <td class="pick">
          <input type="checkbox" name="check" value={guid} aria-label={`Select ${name}`} checked={selected.has(guid)} />
        </td>
      ) : null}
      <td>
        <StateMark state={check.state} />
        {check.in_maintenance ? (
          <span class="besides">
            {' '}
            <StateMark state="maintenance" />
          </span>
        ) : null}
      </td>
      <td class="name">
        <Link href={`/checks/${guid}`} title={name}>
          {name}
        </Link>
        <div>
          <Why check={check} />
          <span class="target">{target === '' ? 'Private definition' : short(target)}</span>
          {tags.map((tag) => (
            <>
              {' '}
              <Link class="tag" href={`/checks?tag=${encodeURIComponent(tag)}`}>
                {tag}
              </Link>
            </>
          ))}{' '}
          <CareMarks care={careOf.get(guid)} />
        </div>
      </td>
      <td data-label="Time in this state">
        {check.since === null ? <SinceUnknown check={check} /> : <Since at={check.since} />}
      </td>
      <td>{recent ? <HourBar cells={recent.hours} total={recent.day} from={from} /> : null}</td>
      <td class="number" data-label="Uptime 24 h">
        <Share of={recent?.day} />
      </td>
      <td class="number" data-label="Uptime 7 d">
        <Share of={recent?.week} />
      </td>
      <td class="number" data-label={isByLatency ? AVERAGE : 'Last run'}>
        {isByLatency ? averageText(check.average_ms) : <Latency latest={check.latest} />}
        {check.latest === undefined || isByLatency ? null : (
          <small>
            {' '}
            <Ago at={check.latest.at} brief />
          </small>
        )}
      </td>
    </tr>
  )
}

/** Renders the reason of the state, if it is known. */
function Why({ check }: { check: ListedRow }) {
  const { state, unmonitored_since, degraded_reasons, able } = check
  if (able.monitors < able.of && state !== 'paused' && (state !== 'down' || able.monitors === 0)) {
    return <span class="hint">{`${able.monitors} of ${able.of} monitors can run this `}</span>
  }
  if (state === 'down' && unmonitored_since !== null) {
    return (
      <span class="hint">
        Not monitored for <Since at={unmonitored_since} />{' '}
      </span>
    )
  }
  if (state !== 'degraded' || degraded_reasons === null) return null
  const reasons = degraded_reasons.join('; ')
  return (
    <span class="hint" title={reasons}>
      {reasons}{' '}
    </span>
  )
}

const MAX_TARGET = 48

/** Shortens a target in the middle: the host is at the start, and paths often differ at the end. */
function short(target: string): string {
  const letters = Array.from(target)
  if (letters.length <= MAX_TARGET) return target
  return `${letters.slice(0, MAX_TARGET - 16).join('')}…${letters.slice(-15).join('')}`
}

function averageText(average_ms: number | undefined): string {
  return average_ms === undefined ? '–' : `${average_ms} ms`
}

function SinceUnknown({ check: { state } }: { check: ListedRow }) {
  if (state === 'failing') return <>Not yet down</>
  if (state !== 'up') return <span title="No data">–</span>
  // The text has two lines, so that the table fits into a small window.
  return (
    <>
      Since first
      <br /> run
    </>
  )
}
