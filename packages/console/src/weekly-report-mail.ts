// Writes the weekly report of an organisation as an email.

import { count, percentText, duration as span } from '@dogwatch/channels/wording'
import { uptimeOf } from '@dogwatch/domain/results/division'
import type { PublicIncident } from '@dogwatch/domain/status-page/status'
import { CERTIFICATE_DAYS, type WeeklyReport } from '@dogwatch/domain/weekly-report/read'
import type { ReportToSend } from '@dogwatch/domain/weekly-report/send'
import type { Mail } from '@dogwatch/runtime/mail'
import { dayClockText, dayText, UTC } from './times.ts'

/** Maximum number of lines in one section. A last line says how many more there are. */
const MOST = 10

export function weeklyReportMail({ email, org_name, report, token }: ReportToSend, public_url: string): Mail {
  const link = `${public_url}/unsubscribe/${token}`
  return {
    to: email,
    subject: `Weekly Dogwatch report for ${org_name}`,
    text: [
      `Weekly report for ${org_name}, ${time(report.from, report.until)} to ${time(report.until, report.until)} (UTC)`,
      '',
      ...sections(report).flatMap(([title, lines]) => [title, ...shortened(lines).map((line) => `  ${line}`), '']),
      `All checks: ${public_url}/checks`,
      '',
      'This report is sent every Monday. To unsubscribe, open this link:',
      '',
      link,
      '',
    ].join('\n'),
    headers: {
      'List-Unsubscribe': `<${link}>`,
      // Mail programs accept the header only if the link begins with https.
      ...(link.startsWith('https:') && { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
    },
  }
}

type Section = readonly [title: string, lines: readonly string[]]

function sections(report: WeeklyReport): Section[] {
  const { checks, incidents, heartbeat_incidents, slowest, certificates, until } = report
  const unmonitored = checks
    .map(({ name, week }) => ({ name, sec: Math.round(week.unknown_sec) }))
    .filter(({ sec }) => sec > 0)
    .toSorted((a, b) => b.sec - a.sec)
  const all: Section[] = [
    ['Uptime (lowest first):', uptimes(report)],
    [`Incidents: ${incidents.length}`, incidents.map((one) => incidentLine(one, until))],
    ['Slowest checks (average response time):', slowest.slice(0, 5).map(slowLine)],
    [
      `Certificates expiring within ${CERTIFICATE_DAYS} days:`,
      certificates.map(({ name, cert_expires_at, days_left }) => {
        const left = days_left < 0 ? 'expired' : `${count(days_left, 'day')} left`
        return `${name}: ${dayText(new Date(cert_expires_at), UTC)}, ${left}`
      }),
    ],
    ['Not monitored:', unmonitored.map(({ name, sec }) => `${name}: for ${span(sec)}`)],
    ['Heartbeats with downtime:', heartbeat_incidents.map((one) => incidentLine(one, until))],
  ]
  return all.filter(([title, lines]) => lines.length > 0 || (title.startsWith('Incidents') && checks.length > 0))
}

function slowLine({ name, latency_ms, percentiles }: WeeklyReport['slowest'][number]): string {
  const most = percentiles === undefined ? '' : `, 95th percentile ${percentiles.p95_ms} ms`
  return `${name}: ${latency_ms} ms${most}`
}

function uptimes({ checks }: WeeklyReport): string[] {
  return checks
    .map(({ name, week }) => ({ name, week, share: uptimeOf(week) }))
    .toSorted((a, b) => (a.share ?? Infinity) - (b.share ?? Infinity))
    .map(({ name, week, share }) => {
      if (share === null) return `${name}: No data`
      const failed = week.failures === 0 ? '' : `, ${week.failures} of ${week.runs} runs failed`
      return `${name}: ${percentText(share)} over ${span(week.watched_sec)} of monitoring${failed}`
    })
}

function incidentLine({ name, began_at, ended_at }: PublicIncident, until: Date): string {
  const lasted = span(((ended_at === null ? until.getTime() : Date.parse(ended_at)) - Date.parse(began_at)) / 1000)
  return `${name}: down for ${lasted} from ${time(new Date(began_at), until)}${ended_at === null ? ' (ongoing)' : ''}`
}

function shortened(lines: readonly string[]): string[] {
  const rest = lines.length - MOST
  return rest <= 0 ? [...lines] : [...lines.slice(0, MOST), `and ${rest} more`]
}

/** Formats a time: `23 Nov, 08:00`. Adds the year if it is not the year of the report. */
function time(at: Date, until: Date): string {
  return dayClockText(at, until, UTC)
}
