// What an organisation is shown of its past, and what a recount makes of it.

import { weeklyReportMail } from '@dogwatch/console/weekly-report-mail'
import type { Division } from '@dogwatch/domain/results/division'
import { readWeeklyReport } from '@dogwatch/domain/weekly-report/read'
import { expect } from '@jest/globals'
import { span } from '../../../console/src/parts/time.tsx'
import type { Browser } from '../support/browser.ts'
import { ownerOf } from '../support/console.ts'
import {
  DAY_MS,
  incidentsOf,
  percentOf,
  type RawFacts,
  rangeOf,
  recount,
  recountSteps,
  resultsIn,
} from '../support/recount.ts'
import { ACCOUNT } from '../support/world.ts'
import type { RunCheck, SmallOrg } from './small-org.ts'

/** Something that is shown. */
export interface Figure {
  name: string
  told: unknown
  want: unknown
}

interface Asked {
  of: SmallOrg
  check: RunCheck
  facts: RawFacts
  browser: Browser
}

const RANGES = [1, 7, 30, 90, 365]
const wire = (ms: number) => {
  const microseconds = Math.round((ms - Math.floor(ms)) * 1000)
  return new Date(ms).toISOString().replace('Z', `${String(microseconds).padStart(3, '0')}Z`)
}
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })
const words = (text: string | undefined) => (text ?? '').replaceAll(/\s+/g, ' ').trim()
const number = (n: number) => n.toLocaleString('en-US')
const percentText = (share: number | null) => (share === null ? '–' : `${share}%`)
const uptimeOf = ({ runs, failures }: Division) => percentOf(runs - failures, runs)
const coverageOf = ({ arrived, due }: Division) => percentOf(arrived, due)

export async function figuresOf(of: SmallOrg): Promise<Figure[]> {
  const { browser } = await ownerOf(of.w, of.org)
  const figures: Figure[] = []
  const add = (place: string, all: Figure[]) => {
    for (const figure of all) figures.push({ ...figure, name: `${place}: ${figure.name}` })
  }
  for (const check of of.checks) {
    const asked = { of, check, facts: of.factsOf(check), browser }
    add(`page of ${check.name}`, await onItsPage(asked))
    add(`summaries of ${check.name}`, await inSummaries(asked))
    add(`incidents of ${check.name}`, await inIncidents(asked))
  }
  add('list', await inList(of, browser))
  add('status page', await onStatusPage(of))
  add('metrics', await inMetrics(of))
  add('report', await inReport(of))
  add('export', await inExport(of))
  return figures
}

function wantedOf(facts: RawFacts, days: number, now: number): Division {
  return recount(facts, rangeOf(days, now))
}

function leftOut({ maintenance_sec, unknown_sec, paused_sec }: Division): string[] {
  return [
    ...(maintenance_sec >= 1 ? [`${span(maintenance_sec)} scheduled maintenance excluded`] : []),
    ...(unknown_sec >= 1 ? [`${span(unknown_sec)} not monitored`] : []),
    ...(paused_sec >= 1 ? [`${span(paused_sec)} paused`] : []),
  ]
}

async function onItsPage({ of, check, facts, browser }: Asked): Promise<Figure[]> {
  await browser.open(`/checks/${check.guid}?period=7d`)
  const tables = browser.all('section[data-live=uptime] table')
  const ranges = (tables[0]?.querySelectorAll('tbody tr') ?? []).map((row) => {
    const cells = row.querySelectorAll('th, td').map((cell) => words(cell.text))
    return [...cells.slice(1, 5), row.querySelector('[title]')?.getAttribute('title')]
  })
  const days = (tables[1]?.querySelectorAll('tbody tr') ?? []).map((row) =>
    row.querySelectorAll('th, td').map((cell) => words(cell.text)),
  )
  return [
    ...RANGES.map((length, n): Figure => {
      const d = wantedOf(facts, length, of.now)
      const watched = d.runs === 0 ? 'No data' : span(d.watched_sec)
      const want = [
        percentText(uptimeOf(d)),
        [watched, ...leftOut(d)].join('; '),
        `${number(d.failures)} of ${number(d.runs)}`,
        percentText(coverageOf(d)),
        `Results of ${number(d.arrived)} of ${number(d.due)} scheduled ${d.due === 1 ? 'run' : 'runs'} received`,
      ]
      return { name: `${length} days`, told: ranges[n], want }
    }),
    { name: 'coverage by day', told: days, want: coverageByDay(facts, of.now) },
  ]
}

function coverageByDay(facts: RawFacts, now: number): string[][] {
  return Array.from({ length: 7 }, (_, ago) => {
    const { from, step } = rangeOf(7, now)
    const day = from + (6 - ago) * step
    return { day, ...recount(facts, { from: day, now: Math.min(day + step, now), step }) }
  })
    .filter(({ day, arrived }) => day + DAY_MS > facts.created || arrived > 0)
    .map(({ day, due, arrived }) => {
      const share = percentText(percentOf(arrived, due))
      return [DAY.format(day), String(due), String(arrived), share]
    })
}

function totalOf(d: Division) {
  return {
    ...{ runs: d.runs, failures: d.failures, uptime: uptimeOf(d) ?? undefined, coverage: coverageOf(d) ?? undefined },
    ...{ total_sec: Math.round(d.total_sec), up_sec: Math.round(d.up_sec), failing_sec: Math.round(d.failing_sec) },
    ...{ unknown_sec: Math.round(d.unknown_sec), paused_sec: Math.round(d.paused_sec) },
    maintenance_sec: Math.round(d.maintenance_sec),
  }
}

async function inSummaries({ of, check, facts }: Asked): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const days of [1, 7, 30, 90]) {
    const range = rangeOf(days, of.now)
    const want = totalOf(recount(facts, range))
    const since = `since=${wire(range.from)}`
    const one = await of.ask('get', `/checks/${check.guid}/summary?${since}`)
    const { total, steps } = one.body as { total: Record<string, unknown>; steps: { runs: number; failures: number }[] }
    const told = (all: Record<string, unknown>) => Object.fromEntries(Object.keys(want).map((key) => [key, all[key]]))
    figures.push({ name: `${days} days`, told: told(total), want })
    const sum = (field: 'runs' | 'failures') => steps.reduce((all, step) => all + step[field], 0)
    figures.push({
      name: `steps of ${days} days`,
      told: [sum('runs'), sum('failures')],
      want: [want.runs, want.failures],
    })
    const many = await of.ask('get', `/summaries?${since}`)
    const { summaries } = many.body as { summaries: { guid: string; total: Record<string, unknown> }[] }
    const own = summaries.find(({ guid }) => guid === check.guid)
    figures.push({ name: `one of many, ${days} days`, told: own && told(own.total), want })
  }
  return figures
}

/**
 * Incidents are recounted where one failure suffices. Others are held against what the configuration API says.
 */
async function inIncidents({ of, check, facts, browser }: Asked): Promise<Figure[]> {
  const answer = await of.ask('get', `/incidents?check=${check.guid}&limit=500`)
  const { incidents } = answer.body as { incidents: { began_at: string; ended_at?: string }[] }
  const told = incidents.map(({ began_at, ended_at }) => [began_at, ended_at])
  const figures: Figure[] = []
  if (Object.keys(check.kind).every((field) => field === 'degraded_over_ms')) {
    const want = incidentsOf(facts, check.breaks).map(({ from, until }) => [
      wire(from),
      until === undefined ? undefined : wire(until),
    ])
    figures.push({ name: 'all', told, want: want.toReversed() })
  }
  await browser.open(`/checks/${check.guid}/incidents`)
  const lasted = browser
    .all('section[data-live=incidents] tbody tr')
    .map((row) => words(row.querySelectorAll('th, td')[2]?.text))
  const want = incidents.slice(0, 100).map(({ began_at, ended_at }) => span(lengthOf(began_at, ended_at, of.now)))
  figures.push({ name: 'how long they lasted on its page', told: lasted, want })
  return figures
}

function lengthOf(began_at: string, ended_at: string | undefined | null, now: number): number {
  return ((ended_at ? Date.parse(ended_at) : now) - Date.parse(began_at)) / 1000
}

async function inList(of: SmallOrg, browser: Browser): Promise<Figure[]> {
  await browser.open('/checks')
  return of.checks.flatMap((check) => {
    const [row] = browser.all(`tr[data-row="${check.guid}"]`)
    return (
      [
        ['Uptime 24 h', 1],
        ['Uptime 7 d', 7],
      ] as const
    ).map(([label, days]): Figure => {
      const cell = row?.querySelector(`td[data-label="${label}"]`)
      const d = wantedOf(of.factsOf(check), days, of.now)
      const uptime = uptimeOf(d)
      const title = `${number(d.runs - d.failures)} of ${number(d.runs)} ${d.runs === 1 ? 'run' : 'runs'} passed${d.unknown_sec >= 0.5 ? `, not monitored for ${span(d.unknown_sec)}` : ''}`
      const want = uptime === null ? ['–', 'No data'] : [`${uptime}% up over ${span(d.watched_sec)}`, title]
      return {
        name: `${check.name}, ${label}`,
        told: [words(cell?.text), cell?.querySelector('[title]')?.getAttribute('title')],
        want,
      }
    })
  })
}

async function onStatusPage(of: SmallOrg): Promise<Figure[]> {
  const slug = `org-${of.org.org_id}`
  const entries = of.checks.map(({ guid, name }) => ({ check: guid, public_name: name }))
  const saved = await of.ask('put', '/status-page', { slug, title: 'Org', enabled: true, entries })
  expect([saved.status, saved.body]).toEqual([200, expect.anything()])
  const json = (await of.w.http.get(`/status/${slug}.json`)).body as {
    systems: Record<string, unknown>[]
    incidents: { system: string; began_at: string; ended_at: string | null; lasted_sec: number }[]
  }
  const html = words((await of.w.http.get(`/status/${slug}`)).text.replaceAll(/<[^>]*>/g, ' '))
  const ofIncidents: Figure = {
    name: 'how long incidents lasted',
    told: json.incidents.map(({ lasted_sec }) => lasted_sec),
    want: json.incidents.map(({ began_at, ended_at }) => Math.round(lengthOf(began_at, ended_at, of.now))),
  }
  const known = await Promise.all(
    of.checks.map(async (check) => {
      const answer = await of.ask('get', `/incidents?check=${check.guid}&limit=500`)
      return (answer.body as { incidents: { began_at: string; ended_at?: string }[] }).incidents.map(
        ({ began_at, ended_at }) => `${check.name} ${began_at} ${ended_at ?? null}`,
      )
    }),
  )
  const shown = json.incidents.map(({ system, began_at, ended_at }) => `${system} ${began_at} ${ended_at}`)
  const figures = of.checks.flatMap((check): Figure[] => {
    const facts = of.factsOf(check, 'public')
    const d = wantedOf(facts, 90, of.now)
    const days = daysOf(facts, of.now)
    const watched = days.reduce((all, { watched_sec }) => all + watched_sec, 0)
    const system = json.systems.find(({ name }) => name === check.name) ?? {}
    const { uptime_percent, runs, failures, watched_sec, unknown_sec, maintenance_sec } = system
    const told = { uptime_percent, runs, failures, watched_sec, unknown_sec, maintenance_sec }
    const rest = { unknown_sec: Math.round(d.unknown_sec), maintenance_sec: Math.round(d.maintenance_sec) }
    const want =
      d.runs === 0
        ? { uptime_percent: null, ...rest }
        : { uptime_percent: uptimeOf(d), runs: d.runs, failures: d.failures, watched_sec: watched, ...rest }
    const shownDays = (system.days as { uptime_percent: number | null; runs?: number; failures?: number }[]).map(
      (day) => [day.uptime_percent, day.runs ?? 0, day.failures ?? 0],
    )
    const share =
      d.runs === 0
        ? 'no data'
        : `${uptimeOf(d)}% uptime over ${span(watched)} of monitoring (${number(d.runs - d.failures)} of ${number(d.runs)} ${d.runs === 1 ? 'run' : 'runs'} passed)`
    const text = `Last 90 days: ${share}${rest.maintenance_sec > 0 ? `, excluding ${span(rest.maintenance_sec)} of scheduled maintenance` : ''}${rest.unknown_sec > 0 ? `, no data for ${span(rest.unknown_sec)}` : ''}`
    return [
      { name: `${check.name}, 90 days`, told: JSON.parse(JSON.stringify(told)), want },
      {
        name: `${check.name}, each day`,
        told: shownDays,
        want: days.map((day) => [day.uptime, day.runs, day.failures]),
      },
      {
        name: `${check.name}, as text`,
        told: html.includes(text) ? text : html.match(/Last 90 days:[^<]*/)?.[0],
        want: text,
      },
    ]
  })
  return [...figures, ofIncidents, { name: 'incidents', told: shown.toSorted(), want: known.flat().toSorted() }]
}

function daysOf(facts: RawFacts, now: number) {
  return recountSteps(facts, rangeOf(90, now)).map(({ runs, failures, watch }) => ({
    ...{ runs, failures, uptime: percentOf(runs - failures, runs) },
    watched_sec: runs === 0 ? 0 : Math.round(watch.watched_sec),
  }))
}

async function inMetrics(of: SmallOrg): Promise<Figure[]> {
  const { text } = await of.ask('get', '/metrics')
  const valueOf = (metric: string, { guid }: RunCheck) => {
    const line = text.split('\n').find((one) => one.startsWith(`dogwatch_check_${metric}{check="${guid}"`))
    return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ')))
  }
  const asked = of.checks.map(async (check): Promise<Figure[]> => {
    const d = wantedOf(of.factsOf(check), 1, of.now)
    const open = await of.ask('get', `/incidents?check=${check.guid}&state=open`)
    const { incidents } = open.body as { incidents: unknown[] }
    const floored = (ratio: number | undefined) =>
      ratio === undefined ? null : Math.floor(ratio * 10_000 + 1e-7) / 100
    return [
      { name: `uptime of ${check.name}`, told: floored(valueOf('uptime_ratio', check)), want: uptimeOf(d) },
      { name: `coverage of ${check.name}`, told: floored(valueOf('coverage_ratio', check)), want: coverageOf(d) },
      { name: `open incidents of ${check.name}`, told: valueOf('incident_open', check), want: incidents.length },
    ]
  })
  return (await Promise.all(asked)).flat()
}

async function inReport(of: SmallOrg): Promise<Figure[]> {
  const report = await readWeeklyReport(of.w.deps, of.org.org_id)
  const one = {
    email: 'a@example.com',
    org_name: 'Org',
    org_id: of.org.org_id,
    person_id: 1,
    week: '',
    report,
    token: '',
  }
  const { text } = weeklyReportMail(one, 'http://dogwatch.example')
  const lines = text.split('\n').map((line) => line.trim())
  const section = (title: string) => {
    const first = lines.findIndex((line) => line.startsWith(title)) + 1
    return first === 0 ? [] : lines.slice(first, lines.indexOf('', first))
  }
  const divided = of.checks.map((check) => ({ name: check.name, d: wantedOf(of.factsOf(check), 7, of.now) }))
  const uptimes = divided.map(({ name, d }) => {
    const failed = d.failures === 0 ? '' : `, ${d.failures} of ${d.runs} runs failed`
    return d.runs === 0
      ? `${name}: No data`
      : `${name}: ${uptimeOf(d)}% over ${span(d.watched_sec)} of monitoring${failed}`
  })
  const unmonitored = divided
    .filter(({ d }) => d.unknown_sec >= 0.5)
    .map(({ name, d }) => `${name}: for ${span(d.unknown_sec)}`)
  const week = rangeOf(7, of.now)
  const ofChecks = await Promise.all(
    of.checks.map(async (check) => {
      const answer = await of.ask('get', `/incidents?check=${check.guid}&limit=500`)
      return (answer.body as { incidents: { began_at: string; ended_at?: string }[] }).incidents.filter(
        ({ ended_at }) => ended_at === undefined || Date.parse(ended_at) > week.from,
      )
    }),
  )
  const means = of.checks.flatMap(({ name, results }) => {
    const passed = resultsIn(results, week).filter(({ success }) => success)
    const sum = passed.reduce((all, { latency_ms }) => all + latency_ms, 0)
    return passed.length === 0 ? [] : [`${name}: ${Math.round(sum / passed.length)} ms`]
  })
  return [
    { name: 'uptimes', told: section('Uptime').toSorted(), want: uptimes.toSorted() },
    { name: 'not monitored', told: section('Not monitored').toSorted(), want: unmonitored.toSorted() },
    {
      name: 'incidents',
      told: lines.find((line) => line.startsWith('Incidents')),
      want: `Incidents: ${ofChecks.flat().length}`,
    },
    {
      name: 'means',
      told: section('Slowest')
        .map((line) => line.split(',')[0])
        .toSorted(),
      want: means.toSorted(),
    },
  ]
}

async function inExport(of: SmallOrg): Promise<Figure[]> {
  const answer = await of.w.http.get(`${ACCOUNT}/export`).set('Authorization', `Bearer ${await of.w.pat(of.org)}`)
  const { results } = answer.body as {
    results: Record<string, { ran_at: string; monitor_id: string; success: boolean; latency_ms: number }[]>
  }
  return of.checks.map((check): Figure => {
    const told = (results[check.guid] ?? []).map(({ ran_at, monitor_id, success, latency_ms }) => [
      ran_at,
      monitor_id,
      success,
      latency_ms,
    ])
    const want = check.results
      .toSorted((a, b) => a.at - b.at || (a.monitor_id < b.monitor_id ? -1 : 1))
      .map(({ at, monitor_id, success, latency_ms }) => [wire(at), monitor_id, success, latency_ms])
    return { name: `results of ${check.name}`, told, want }
  })
}
