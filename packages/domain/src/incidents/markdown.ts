// Writes an incident as a Markdown document, to be kept or sent elsewhere. Pure. Text that other people wrote stays plain text.
import { failureWords } from '@dogwatch/channels/failure-words'
import { escapeMarkdown } from '@dogwatch/channels/markdown'
import { duration, oneLine, time } from '@dogwatch/channels/wording'
import { TIMING_NAMES } from '@dogwatch/store/results/timings'
import { causeOf } from './cause.ts'
import type { IncidentInDetail, WholeResult } from './inspect.ts'
import { timelineOf } from './timeline.ts'

/** Returns the Markdown document of an incident. `url`: address of its page. */
export function incidentMarkdown(view: IncidentInDetail, { url, now }: { url: string; now: Date }): string {
  const { incident, postmortem } = view
  const end = incident.ended_at === null ? now.toISOString() : incident.ended_at
  const facts: [string, string][] = [
    ['Organisation', plain(incident.org_name)],
    [incident.kind === 'check' ? 'Check' : 'Heartbeat', plain(incident.name)],
    ['Cause', plain(causeOf({ ...incident, ...causeNow(view) }))],
    ...(beganWith(view) === undefined ? [] : [['Initial cause', plain(beganWith(view) ?? '')] as [string, string]]),
    ['Started', time(incident.began_at)],
    ['Resolved', incident.ended_at === null ? `Ongoing as of ${time(now.toISOString())}` : time(incident.ended_at)],
    ['Duration', duration((Date.parse(end) - Date.parse(incident.began_at)) / 1000)],
    ...(incident.acknowledged_by === null || incident.acknowledged_at === null
      ? []
      : [
          ['Acknowledged', `${time(incident.acknowledged_at)} by ${plain(incident.acknowledged_by)}`] as [
            string,
            string,
          ],
        ]),
    ['Page', `<${url}>`],
  ]
  return [
    `# Incident: ${plain(incident.name)}`,
    facts.map(([label, value]) => `- **${label}:** ${value}`).join('\n'),
    ...(view.failure ? ['## First failure', failureText(view.failure, view.isPrivate)] : []),
    ...(view.ping?.body ? ['## Job output', fenced(view.ping.body)] : []),
    ...(view.witnesses.length > 0 ? ['## Monitors', witnessLines(view)] : []),
    '## Timeline',
    timelineLines(view),
    ...(view.groups.length > 0 ? ['## Related incidents', neighbourLines(view)] : []),
    '## Postmortem',
    postmortem === undefined ? '_No postmortem yet._' : inert(postmortem.body),
    '',
  ].join('\n\n')
}

/** Returns the stored cause: the error of the first failure, or else of the first alert, and the reason in that alert. */
export function firstCause({ told, failure, ping }: IncidentInDetail): {
  error: string | null
  reason: string | null
  exit_code: number | null
} {
  const first = told.find(({ type }) => type.endsWith('.down'))
  return {
    error: failure?.error ?? first?.error ?? null,
    reason: first?.reason ?? null,
    exit_code: first?.exit_code ?? ping?.exit_code ?? null,
  }
}

/** Returns the cause with the error of the newest failure, while the incident lasts. */
export function causeNow(view: IncidentInDetail): ReturnType<typeof firstCause> {
  const first = firstCause(view)
  return view.newest_error === undefined ? first : { ...first, error: view.newest_error }
}

/** Returns the initial cause in words, if it differs from the current cause. */
export function beganWith(view: IncidentInDetail): string | undefined {
  const first = causeOf({ ...view.incident, ...firstCause(view) })
  return first === causeOf({ ...view.incident, ...causeNow(view) }) ? undefined : first
}

function failureText(failure: WholeResult, isPrivate: boolean): string {
  const lines = [
    `- **Ran:** ${time(failure.ran_at)} from ${plain(failure.monitor_name === '' ? failure.monitor_id : failure.monitor_name)}`,
    ...(failure.http_status > 0 ? [`- **Status:** ${failure.http_status}`] : []),
    ...(failure.error === null ? [] : [`- **Error:** ${plain(failureWords(failure.error))}`]),
    `- **Latency:** ${failure.latency_ms} ms${timingWords(failure)}`,
    ...(isPrivate ? ['- The definition is private, so only the kind of failure is known.'] : []),
  ]
  const sample = failure.response_sample === null ? [] : ['Response:', fenced(failure.response_sample)]
  return [lines.join('\n'), ...sample].join('\n\n')
}

function timingWords(failure: WholeResult): string {
  const parts = TIMING_NAMES.flatMap((name) => {
    const ms = failure[name]
    return ms === null ? [] : [`${name.replace(/_ms$/, '').replace('_', ' ')} ${ms} ms`]
  })
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`
}

function witnessLines({ witnesses }: IncidentInDetail): string {
  return witnesses
    .map(({ name, monitor_id, failed_at, failures }) => {
      const who = plain(name.trim() === '' ? monitor_id : name)
      return failed_at === null
        ? `- ${who}: last result was a success`
        : `- ${who}: failing since ${time(failed_at)}, ${failures} ${failures === 1 ? 'failure' : 'failures'} in a row`
    })
    .join('\n')
}

function timelineLines(view: IncidentInDetail): string {
  return timelineOf(view)
    .map(({ at, title, lines, note, isPlanned }) => {
      const details = [
        ...lines.map((line) => plain(line)),
        ...(note ? note.body.split('\n').map((line) => plain(line)) : []),
      ]
      const head = `- ${isPlanned ? 'Planned for ' : ''}${time(at)}: ${plain(title)}`
      return [head, ...details.filter((line) => line !== '').map((line) => `  - ${line}`)].join('\n')
    })
    .join('\n')
}

function neighbourLines({ groups }: IncidentInDetail): string {
  return groups
    .flatMap(({ monitor, neighbours }) =>
      neighbours.map(({ name, began_at }) => {
        const from = monitor === null ? '' : ` from ${plain(monitor.name === '' ? monitor.id : monitor.name)}`
        return `- ${plain(name)}, at ${time(began_at)}${from}`
      }),
    )
    .join('\n')
}

/** Returns other people's text on one line, without markup and HTML. */
function plain(text: string): string {
  return escapeMarkdown(oneLine(text, 1_000)).replaceAll('&', '&amp;').replaceAll('<', '\\<')
}

/** Returns a text of several lines unchanged, in a fence that it cannot close. */
function fenced(text: string): string {
  const longest = Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length))
  const fence = '`'.repeat(Math.max(3, longest + 1))
  return `${fence}text\n${text.replaceAll('\r', '')}\n${fence}`
}

/** Removes HTML from a postmortem. Members may use Markdown in it. */
function inert(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
