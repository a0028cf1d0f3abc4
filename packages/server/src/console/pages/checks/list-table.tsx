// The table of the list of checks.
import type { VNode } from 'preact'
import type { ListedRow, TagGroup } from '../../../domain/checks/list.ts'
import type { WatchedRuns } from '../../../domain/checks/overview.ts'
import type { Care } from '../../../domain/incidents/care.ts'
import { StateMark } from '../../design/badge.tsx'
import { HourBar } from '../../parts/bars.tsx'
import { CareMarks } from '../../parts/care.tsx'
import { Ago, Since } from '../../parts/time.tsx'
import { useMay } from '../../rights.tsx'
import { BULK_PATH } from './list-view.ts'
import { Latency, Share } from './shown.tsx'

interface Rows {
  historyOf: (check: ListedRow) => WatchedRuns
  /** When the first of the hours that are shown begins. */
  from: Date
  now: Date
  selected: ReadonlySet<string>
  /** The list is sorted by the average of the last 24 hours. */
  isByLatency: boolean
  /** By guid. */
  careOf: ReadonlyMap<string, Care>
}

const COLUMNS = ['State', 'Name', 'Since', 'Last 24 hours', '24 h', '7 d', 'Latest'] as const
const AVERAGE = 'Average, 24 h'
const NUMBERS: readonly string[] = ['24 h', '7 d', 'Latest', AVERAGE]

export function CheckTable({ groups, ...rows }: Rows & { groups: readonly TagGroup<ListedRow>[] }): VNode {
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
          {COLUMNS.map((one) => (one === 'Latest' && rows.isByLatency ? AVERAGE : one)).map((label) => (
            <th scope="col" key={label} class={NUMBERS.includes(label) ? 'number' : undefined}>
              {label}
            </th>
          ))}
        </tr>
      </thead>
      {groups.map(({ tag, checks }) => (
        <tbody key={tag ?? ''}>
          {isGrouped ? (
            <tr class="group">
              <th scope="rowgroup" colSpan={COLUMNS.length + 1}>
                {tag ?? 'No tag'}
              </th>
            </tr>
          ) : null}
          {checks.map((check) => (
            <CheckRow key={check.guid} check={check} maySelect={maySelect} {...rows} />
          ))}
        </tbody>
      ))}
    </table>
  )
}

interface RowProps extends Rows {
  check: ListedRow
  maySelect: boolean
}

function CheckRow({ check, maySelect, historyOf, from, now, selected, isByLatency, careOf }: RowProps): VNode {
  const { guid, name, target, tags } = check
  const { hours, day, week, day_watch, week_watch } = historyOf(check)
  return (
    <tr data-row={guid}>
      {maySelect ? (
        <td class="pick">
          <input type="checkbox" name="check" value={guid} aria-label={`Select ${name}`} checked={selected.has(guid)} />
        </td>
      ) : null}
      <td>
        <StateMark state={check.state} />
        <Besides check={check} now={now} />
      </td>
      <td class="name">
        <a href={`/checks/${guid}`}>{name}</a>
        <span class="target">{target === '' ? 'defined at the monitor' : short(target)}</span>
        {tags.map((tag) => (
          <a class="tag" key={tag} href={`/checks?tag=${encodeURIComponent(tag)}`}>
            {tag}
          </a>
        ))}
        <CareMarks care={careOf.get(guid)} now={now} />
      </td>
      <td data-label="Since">{check.since === null ? sinceUnknown(check) : <Since at={check.since} now={now} />}</td>
      <td>
        <HourBar cells={hours} total={day} from={from} />
      </td>
      <td class="number" data-label="24 h">
        <Share {...day} watch={day_watch} />
      </td>
      <td class="number" data-label="7 d">
        <Share {...week} watch={week_watch} />
      </td>
      <td class="number" data-label={isByLatency ? AVERAGE : 'Latest'}>
        {isByLatency ? averageText(check.average_ms) : <Latency latest={check.latest} />}
        {check.latest === undefined || isByLatency ? null : (
          <small>
            {' '}
            <Ago at={check.latest.at} now={now} />
          </small>
        )}
      </td>
    </tr>
  )
}

/** What else holds of the check, beside its state. */
function Besides({ check, now }: { check: ListedRow; now: Date }): VNode {
  const { state, unmonitored_since, degraded_reasons, in_maintenance } = check
  return (
    <>
      {state === 'down' && unmonitored_since !== null ? (
        <span class="hint">
          {' '}
          not monitored for <Since at={unmonitored_since} now={now} />
        </span>
      ) : null}
      {state === 'degraded' && degraded_reasons !== null ? (
        <span class="hint"> {degraded_reasons.join('; ')}</span>
      ) : null}
      {in_maintenance ? (
        <span class="besides">
          {' '}
          <StateMark state="maintenance" />
        </span>
      ) : null}
    </>
  )
}

const MAX_TARGET = 48

/** The host is at its begin, and what differs between paths is often at their end. */
function short(target: string): string {
  const letters = Array.from(target)
  if (letters.length <= MAX_TARGET) return target
  return `${letters.slice(0, MAX_TARGET - 16).join('')}…${letters.slice(-15).join('')}`
}

function averageText(average_ms: number | undefined): string {
  return average_ms === undefined ? '–' : `${average_ms} ms`
}

function sinceUnknown({ state }: ListedRow): string {
  if (state === 'failing') return 'not confirmed yet'
  return state === 'up' ? 'never down' : '–'
}
