// Handles the operations on summaries: returns uptime and response times over a range.
import { type Summary, type SummedStep, summarise, summariseMany } from '@dogwatch/domain/checks/summaries'
import { resolveReference } from '@dogwatch/domain/configuration/keys'
import { coverageOf, uptimeOf } from '@dogwatch/domain/results/division'
import { percent, uptime } from '@dogwatch/domain/results/uptime'
import { fromDate, toMicroseconds } from '@dogwatch/runtime/timestamps'
import type { SomeHandlers } from './contract.ts'

function instantOf(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(toMicroseconds(text))
}

function toSummary({ check, total }: Pick<Summary, 'check' | 'total'>) {
  const { runs, failures, mean_ms, max_ms, p50_ms, p95_ms } = total
  const [up, coverage] = [uptimeOf(total), coverageOf(total)]
  return {
    guid: check.guid,
    ...(check.key !== null && { key: check.key }),
    name: check.name,
    total: {
      runs,
      failures,
      ...(up !== null && { uptime: up }),
      ...(coverage !== null && { coverage }),
      total_sec: Math.round(total.total_sec),
      up_sec: Math.round(total.up_sec),
      failing_sec: Math.round(total.failing_sec),
      unknown_sec: Math.round(total.unknown_sec),
      paused_sec: Math.round(total.paused_sec),
      maintenance_sec: Math.round(total.maintenance_sec),
      ...(mean_ms !== undefined && { mean_ms }),
      ...(max_ms !== undefined && { max_ms }),
      ...(p50_ms !== undefined && { p50_ms }),
      ...(p95_ms !== undefined && { p95_ms }),
    },
  }
}

function toStep(step: SummedStep) {
  const { from, runs, failures, due, arrived, unknown_sec, maintenance_sec, mean_ms, max_ms, p50_ms, p95_ms } = step
  const [up, coverage] = [uptime({ runs, failures }), percent(arrived, due)]
  return {
    at: fromDate(new Date(from)),
    runs,
    failures,
    ...(up !== null && { uptime: up }),
    ...(coverage !== null && { coverage }),
    ...(unknown_sec > 0 && { unknown_sec }),
    ...(maintenance_sec > 0 && { maintenance_sec }),
    ...(mean_ms !== undefined && { mean_ms }),
    ...(max_ms !== undefined && { max_ms }),
    ...(p50_ms !== undefined && { p50_ms }),
    ...(p95_ms !== undefined && { p95_ms }),
  }
}

export const SUMMARIES = {
  async getCheckSummary(deps, { caller, path, query, reply }) {
    const guid = await resolveReference(deps.database.people, caller.org_id, 'check', path.guid)
    const asked = { since: instantOf(query.since), until: instantOf(query.until), step: query.step }
    const { span, steps, ...summary } = await summarise(deps, caller.org_id, guid, asked)
    const { from, until, step } = span
    return reply(200, {
      ...toSummary(summary),
      since: fromDate(from),
      until: fromDate(until),
      step,
      steps: steps.map(toStep),
    })
  },
  async listSummaries(deps, { caller, query, reply }) {
    const { limit = 100, tag, after } = query
    const [since, until] = [instantOf(query.since), instantOf(query.until)]
    const asked = { limit, tag, after, ...(since && { since }), ...(until && { until }) }
    const { summaries, next, span } = await summariseMany(deps, caller.org_id, asked)
    return reply(200, {
      since: fromDate(span.from),
      until: fromDate(span.until),
      summaries: summaries.map(toSummary),
      ...(next !== undefined && { next }),
    })
  },
} satisfies SomeHandlers
