// The weekly report of an organisation, as a mail.
import { uptime } from '../domain/results/uptime.ts'
import { unknownSec } from '../domain/results/watched.ts'
import { CERTIFICATE_DAYS, type ReportedIncident, type WeeklyReport } from '../domain/weekly-report/read.ts'
import type { ReportToSend } from '../domain/weekly-report/send.ts'
import type { Mail } from '../runtime/mail.ts'
import { percentText } from './pages/checks/shown.tsx'
import { span } from './parts/time.tsx'

/** Lines in one section; how many are left out is said. */
const MOST = 10

export function weeklyReportMail({ email, org_name, report, token }: ReportToSend, public_url: string): Mail {
  const link = `${public_url}/unsubscribe/${token}`
  return {
    to: email,
    subject: `Dogwatch: weekly report for ${org_name}`,
    text: [
      `This is the week of ${org_name}, from ${time(report.from)} to ${time(report.until)} (UTC).`,
      '',
      ...sections(report).flatMap(([title, lines]) => [title, ...shortened(lines).map((line) => `  ${line}`), '']),
      `All checks: ${public_url}/checks`,
      '',
      'You get this report each Monday. To stop it, open this link:',
      '',
      link,
      '',
    ].join('\n'),
    headers: {
      'List-Unsubscribe': `<${link}>`,
      // Mail programs accept it for https alone.
      ...(link.startsWith('https:') && { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
    },
  }
}

type Section = readonly [title: string, lines: readonly string[]]

function sections(report: WeeklyReport): Section[] {
  const { checks, incidents, heartbeat_incidents, slowest, certificates, until } = report
  const unmonitored = checks
    .map(({ name, week_watch }) => ({ name, sec: unknownSec(week_watch) }))
    .filter(({ sec }) => sec > 0)
    .toSorted((a, b) => b.sec - a.sec)
  const all: Section[] = [
    ['Uptime, lowest first:', uptimes(report)],
    [`Incidents: ${incidents.length}`, incidents.map((one) => incidentLine(one, until))],
    ['Slowest checks, on average:', slowest.slice(0, 5).map(slowLine)],
    [
      `Certificates that expire within ${CERTIFICATE_DAYS} days:`,
      certificates.map(({ name, cert_expires_at, days_left }) => {
        const left = days_left < 0 ? 'expired' : `${days_left} ${days_left === 1 ? 'day' : 'days'} left`
        return `${name}: ${cert_expires_at.slice(0, 10)}, ${left}`
      }),
    ],
    ['Not monitored:', unmonitored.map(({ name, sec }) => `${name}: for ${span(sec)}`)],
    ['Heartbeats that were down:', heartbeat_incidents.map((one) => incidentLine(one, until))],
  ]
  return all.filter(([title, lines]) => lines.length > 0 || (title.startsWith('Incidents') && checks.length > 0))
}

function slowLine({ name, latency_ms, percentiles }: WeeklyReport['slowest'][number]): string {
  const most = percentiles === undefined ? '' : `, 95th percentile ${percentiles.p95_ms} ms`
  return `${name}: ${latency_ms} ms${most}`
}

function uptimes({ checks }: WeeklyReport): string[] {
  return checks
    .map(({ name, week, week_watch }) => ({ name, week, watched_sec: week_watch.watched_sec, share: uptime(week) }))
    .toSorted((a, b) => (a.share ?? Infinity) - (b.share ?? Infinity))
    .map(({ name, week, watched_sec, share }) => {
      if (share === null) return `${name}: no data`
      const failed = week.failures === 0 ? '' : `, ${week.failures} of ${week.runs} runs failed`
      return `${name}: ${percentText(share)} of ${span(watched_sec)}${failed}`
    })
}

function incidentLine({ name, began_at, ended_at }: ReportedIncident, until: Date): string {
  const lasted = span(((ended_at === null ? until.getTime() : Date.parse(ended_at)) - Date.parse(began_at)) / 1000)
  return `${name}: down for ${lasted} from ${time(new Date(began_at))}${ended_at === null ? ', and still down' : ''}`
}

function shortened(lines: readonly string[]): string[] {
  const rest = lines.length - MOST
  return rest <= 0 ? [...lines] : [...lines.slice(0, MOST), `and ${rest} more`]
}

/** `2026-11-23 08:00` */
function time(at: Date): string {
  return at.toISOString().slice(0, 16).replace('T', ' ')
}
