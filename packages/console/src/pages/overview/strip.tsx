// Renders the last 24 hours in quarters of an hour: a strip, and a table of the quarters with problems.
import { QUARTER_SEC, type Quarter, type Strip } from '@dogwatch/domain/overview/strip'
import { Table } from '../../design/table.tsx'
import { useTimes } from '../../parts/time.tsx'
import { clockText } from '../../times.ts'

export function DayStrip({ strip: { from, quarters } }: { strip: Strip }) {
  const times = useTimes()
  // Omits the day, because the strip covers only the last 24 hours.
  const at = (index: number) => {
    const date = new Date(from.getTime() + index * QUARTER_SEC * 1000)
    return clockText(date, date, times)
  }
  const eventful = runsOf(quarters)
  const html = quarters.map((quarter, index) => drawn(quarter, at(index))).join('')
  return (
    <>
      <div class="day-strip" role="img" aria-label={summary(quarters)} dangerouslySetInnerHTML={{ __html: html }} />
      <p class="day-hours hint" aria-hidden="true">
        {[0, 24, 48, 72].map((index) => (
          <span>{at(index)}</span>
        ))}
        <span>Now</span>
      </p>
      <p>{summary(quarters)}</p>
      {eventful.length === 0 ? null : (
        <details class="part">
          <summary>Show table</summary>
          <Table
            columns={['Time', 'Event']}
            name="Time"
            rows={eventful.map(({ first, last, words }) => [
              first,
              last - first + 1 === quarters.length ? 'The last 24 hours' : `${at(first)} to ${at(last + 1)}`,
              words,
            ])}
          />
        </details>
      )}
    </>
  )
}

/**
 * Returns a quarter of an hour as HTML text, because a day has many of them. The text contains only numbers and our own words.
 */
function drawn(quarter: Quarter, at: string): string {
  const words = wordsOf(quarter)
  return `<i class=${toneOf(quarter)}${words === '' ? '' : ` title="${at}: ${words}"`}></i>`
}

function toneOf({ down, unmonitored, isOutage, isBefore }: Quarter): string {
  if (isBefore && down + unmonitored === 0) return 'x'
  if (down > 0) return unmonitored > 0 || isOutage ? 'bn' : 'b'
  return unmonitored > 0 || isOutage ? 'n' : 'g'
}

function wordsOf({ down, unmonitored, isOutage }: Quarter): string {
  return [
    ...(down > 0 ? [`${down} down`] : []),
    ...(unmonitored > 0 ? [`${unmonitored} not monitored`] : []),
    ...(isOutage ? ['Dogwatch was offline'] : []),
  ].join(', ')
}

/** Joins adjacent quarters with the same description. */
function runsOf(quarters: readonly Quarter[]): { first: number; last: number; words: string }[] {
  const runs: { first: number; last: number; words: string }[] = []
  for (const [index, quarter] of quarters.entries()) {
    const words = wordsOf(quarter)
    const before = runs.at(-1)
    if (words === '') continue
    if (before?.last === index - 1 && before.words === words) before.last = index
    else runs.push({ first: index, last: index, words })
  }
  return runs
}

/**
 * Returns a summary: `For a total of 1 h 30 min, at least one check or heartbeat was down. Each 15-minute period with a problem
 * counts in full.` A quarter counts in full because the quarters do not say how much of each was affected.
 */
function summary(quarters: readonly Quarter[]): string {
  const hours = (isOne: (quarter: Quarter) => boolean) => {
    const min = quarters.filter(isOne).length * (QUARTER_SEC / 60)
    const [h, rest] = [Math.floor(min / 60), min % 60]
    return [...(h > 0 ? [`${h} h`] : []), ...(rest > 0 ? [`${rest} min`] : [])].join(' ')
  }
  const [down, unmonitored, outage] = [
    hours((one) => one.down > 0),
    hours((one) => one.unmonitored > 0),
    hours((one) => one.isOutage),
  ]
  const told = [
    ...(down === '' ? [] : [`For a total of ${down}, at least one check or heartbeat was down.`]),
    ...(unmonitored === '' ? [] : [`For a total of ${unmonitored}, at least one check was not monitored.`]),
    ...(outage === '' ? [] : [`Dogwatch was offline for a total of ${outage}.`]),
  ]
  const isNew = quarters.some(({ isBefore }) => isBefore) ? ' Monitoring started during this period.' : ''
  const calm = 'No downtime or monitoring gaps.'
  return `${told.length === 0 ? calm : `${told.join(' ')} Each 15-minute period with a problem counts in full.`}${isNew}`
}
