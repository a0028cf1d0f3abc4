// Renders times and durations in words. Every time of a page is in the viewer's zone, and the exact time appears on hover.
import { createContext, type VNode } from 'preact'
import { useContext } from 'preact/hooks'
import { duration as span } from '../../channels/wording.ts'
import { Link } from '../rights.tsx'
import { clockText, dayClockText, fullText, nameOf, UTC } from '../times.ts'

export { span }

/** How the viewer of the page reads times. */
export const TimesContext = createContext(UTC)

/** Time at which the page is drawn. */
export const NowContext = createContext(new Date(0))

/** Renders a time relative to `now`, followed by the time itself unless `brief`: `12 min ago, 14:03`. */
export function Ago({ at, now, brief = false }: { at: string; now: Date; brief?: boolean }): VNode {
  const times = useContext(TimesContext)
  const [date, sec] = [new Date(at), (now.getTime() - Date.parse(at)) / 1000]
  const relative = sec < 0 ? `in ${span(-sec)}` : sec < 5 ? 'just now' : `${span(sec)} ago`
  return (
    <time dateTime={at} title={fullText(date, times)} data-relative>
      {brief ? relative : `${relative}, ${clockText(date, now, times)}`}
    </time>
  )
}

/** Renders how long something has lasted, without "ago". */
export function Since({ at, now }: { at: string; now: Date }): VNode {
  const times = useContext(TimesContext)
  return (
    <time dateTime={at} title={fullText(new Date(at), times)} data-lasting>
      {span((now.getTime() - Date.parse(at)) / 1000)}
    </time>
  )
}

/** Renders a time by itself: `20 Nov, 14:03`. If `dated`, the day appears even if it is today. */
export function At({ at, now, dated = false }: { at: string; now: Date; dated?: boolean }): VNode {
  const times = useContext(TimesContext)
  const date = new Date(at)
  return (
    <time dateTime={at} title={fullText(date, times)}>
      {dated ? dayClockText(date, now, times) : clockText(date, now, times)}
    </time>
  )
}

/** Renders the zone of all times of a page. Unless `isChosen`, a script compares this zone with the browser's. */
export function ZoneNote({ isChosen, mayChange }: { isChosen: boolean; mayChange: boolean }): VNode {
  const times = useContext(TimesContext)
  return (
    <footer class="zone" data-zone={isChosen ? undefined : times.zone}>
      Times shown in {nameOf(times)}. {mayChange ? <Link href="/account#times">Change time zone</Link> : null}
    </footer>
  )
}
