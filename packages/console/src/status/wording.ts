// Describes states, days and percentages on a status page.
import { count, numberText, percentText } from '@dogwatch/channels/wording'
import {
  type Headline,
  type PublicDay,
  type PublicState,
  type PublicStatus,
  percentOf,
  type Share,
} from '@dogwatch/domain/status-page/status'
import type { Tone } from '../design/badge.tsx'
import type { IconName } from '../design/icons.tsx'
import { span } from '../parts/time.tsx'

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

type StatusLine = readonly [icon: IconName, line: string, tone: Tone]

const HEADLINES: Readonly<Record<Headline['kind'], StatusLine>> = {
  operational: ['circle-check', 'All systems operational', 'good'],
  partly_down: ['circle-x', 'Some systems are down', 'bad'],
  down: ['circle-x', 'All systems are down', 'bad'],
  degraded: ['activity', 'Some systems are slow', 'warn'],
  maintenance: ['wrench', 'Scheduled maintenance in progress', 'warn'],
  partly_unmonitored: ['eye-off', 'Some systems are not monitored', 'warn'],
  unmonitored: ['eye-off', 'No systems are monitored', 'warn'],
  partly_unknown: ['circle-dashed', 'No known outages, but some systems have no data', 'warn'],
  unknown: ['circle-dashed', 'No data available', 'idle'],
  empty: ['circle-dashed', 'No systems added yet', 'idle'],
}

/**
 * Returns the headline of a status page. Paused and unmonitored systems do not count as operational. If there are any, the
 * headline has no green tone.
 */
export function headlineOf({ headline, entries }: Pick<PublicStatus, 'headline' | 'entries'>): StatusLine {
  const plain = HEADLINES[headline.kind]
  const count = (...states: PublicState[]) => entries.filter(({ state }) => states.includes(state)).length
  const [paused, unwatched] = [count('paused'), count('unmonitored')]
  const isFine = headline.kind === 'operational' || headline.kind === 'partly_unmonitored'
  if (!isFine || paused + unwatched === 0 || count('up') + paused + unwatched < entries.length) return plain
  const others = [...(unwatched > 0 ? [`${unwatched} not monitored`] : []), ...(paused > 0 ? [`${paused} paused`] : [])]
  const line = `All monitored systems operational (${others.join(', ')})`
  return unwatched > 0 ? ['eye-off', line, 'warn'] : ['circle-pause', line, 'idle']
}

/** Formats a day: `2026-11-20` becomes `20 Nov 2026`. */
export function dayText(day: string): string {
  return `${Number(day.slice(8, 10))} ${MONTHS[Number(day.slice(5, 7)) - 1]} ${day.slice(0, 4)}`
}

/** Formats an instant: `20 Nov 2026, 12:00 UTC`. */
export function instantText(at: string): string {
  return `${dayText(at)}, ${at.slice(11, 16)} UTC`
}

export function shareText(share: Share): string {
  if (share.kind === 'none') return 'no data'
  const told = percentText(percentOf(share))
  if (share.kind === 'runs') {
    const { runs, failures, watched_sec: sec } = share
    return `${told} uptime over ${span(sec)} of monitoring (${numberText(runs - failures)} of ${count(runs, 'run')} passed)`
  }
  const { watched_sec, down_sec } = share
  return `${told} uptime, ${down_sec === 0 ? 'no downtime' : `${span(down_sec)} downtime`} over ${span(watched_sec)} of monitoring`
}

/** Tone of a day: green, green with a red top, red, or no data. */
export type DayTone = 'g' | 'w' | 'b' | 'n'

export function toneOf(share: Share): DayTone {
  const well = percentOf(share)
  if (well === null) return 'n'
  if (well === 100) return 'g'
  return well >= MOSTLY_WELL ? 'w' : 'b'
}

/** Percentage below which a day looks different from one with a few failures. */
export const MOSTLY_WELL = 95

/** Describes days: `last 90 days: 19 Nov: 99.93% uptime over 1 d of monitoring (1,439 of 1,440 runs passed); no data on 2 days`. */
export function daysText(days: readonly PublicDay[]): string {
  const unwell = days.filter(({ share }) => !'gn'.includes(toneOf(share)))
  const unknown = days.filter(({ share }) => share.kind === 'none').length
  const told = unwell.map(({ day, share }) => `${dayText(day).slice(0, -5)}: ${shareText(share)}`)
  if (unknown > 0) told.push(`no data on ${unknown} ${unknown === 1 ? 'day' : 'days'}`)
  return `last ${days.length} days: ${told.length === 0 ? 'no downtime' : told.join('; ')}`
}
