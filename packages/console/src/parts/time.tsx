// Renders times and durations in words. Every time of a page is in the viewer's zone, and the exact time appears on hover.

import { duration as span } from '@dogwatch/channels/wording'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { Link } from '../rights.tsx'
import { clockText, dayClockText, fullText, nameOf, type Times, UTC } from '../times.ts'

export { span }

export const TimesContext = createContext(UTC)
export const NowContext = createContext(new Date(0))

/** Returns how the viewer of the page reads times. */
export function useTimes(): Times {
  return useContext(TimesContext)
}

/** Returns the time at which the page is drawn. */
export function useNow(): Date {
  return useContext(NowContext)
}

/** Renders a time relative to now, followed by the time itself unless `brief`: `12 min ago, 14:03`. */
export function Ago({ at, brief = false }: { at: string; brief?: boolean }) {
  const [now, times, date] = [useNow(), useTimes(), new Date(at)]
  const sec = (now.getTime() - Date.parse(at)) / 1000
  const relative = sec < 0 ? `in ${span(-sec)}` : sec < 5 ? 'just now' : `${span(sec)} ago`
  return (
    <time dateTime={at} title={fullText(date, times)} data-relative>
      {brief ? relative : `${relative}, ${clockText(date, now, times)}`}
    </time>
  )
}

/** Renders how long something has lasted, without "ago". */
export function Since({ at }: { at: string }) {
  return (
    <time dateTime={at} title={fullText(new Date(at), useTimes())} data-lasting>
      {span((useNow().getTime() - Date.parse(at)) / 1000)}
    </time>
  )
}

interface Period {
  began_at: string
  /** Null while it lasts. */
  ended_at: string | null
}

/** Renders how long something lasted, or has lasted until now. */
export function Lasted({ began_at, ended_at }: Period) {
  const now = useNow().toISOString()
  return <>{span((Date.parse(ended_at ?? now) - Date.parse(began_at)) / 1000)}</>
}

/** Renders a time by itself: `20 Nov, 14:03`. If `dated`, the day appears even if it is today. */
export function At({ at, dated = false }: { at: string; dated?: boolean }) {
  const [now, times, date] = [useNow(), useTimes(), new Date(at)]
  return (
    <time dateTime={at} title={fullText(date, times)}>
      {dated ? dayClockText(date, now, times) : clockText(date, now, times)}
    </time>
  )
}

/** Renders the zone of all times of a page. Unless `isChosen`, a script compares this zone with the browser's. */
export function ZoneNote({ isChosen, mayChange }: { isChosen: boolean; mayChange: boolean }) {
  const times = useTimes()
  return (
    <footer class="zone" data-zone={isChosen ? undefined : times.zone}>
      Times shown in {nameOf(times)}. {mayChange ? <Link href="/account#times">Change time zone</Link> : null}
    </footer>
  )
}
