// Runs a check of one URL by hand, and shows the result to a person or as JSON.
import type { Check } from '@dogwatch/monitor-sdk'
import { EXIT_USAGE } from '../process/fatal.ts'
import { type AssertionOutcome, wordsOfOutcome } from './assertions.ts'
import { runCheck } from './run-check.ts'
import type { RunResult } from './run-result.ts'
import { painted, phaseLines, printable, waterfall } from './waterfall.ts'

export interface RunOnceOptions {
  json?: boolean
  /** Rules of the check, in addition to the defaults. */
  rules?: Partial<Check>
  public_targets_only?: boolean
  signal?: AbortSignal
  /** Output for the result. Default: standard output. */
  out?: Screen
  err?: Pick<Screen, 'write'>
  env?: Record<string, string | undefined>
}

export interface Screen {
  isTTY?: boolean
  columns?: number
  write: (text: string) => unknown
}

const EXIT_HEALTHY = 0
const EXIT_UNHEALTHY = 1

/** Runs the check and shows the result. Resolves with the exit status: 0 if healthy, 1 if not, 2 if the check is invalid. */
export async function runOnce(url: string, options: RunOnceOptions = {}): Promise<number> {
  const { out = process.stdout, err = process.stderr, env = process.env } = options
  const result = await runCheck(checkOf(url, options.rules), {
    public_targets_only: options.public_targets_only ?? false,
    shows_certificates: true,
    now: () => new Date(),
    ...(options.signal ? { signal: options.signal } : {}),
  })
  if (result.kind === 'config') {
    err.write(`dogwatch-agent run-once: ${result.error.replace(/^config: /, '')}\n`)
    return EXIT_USAGE
  }
  out.write(options.json ? `${JSON.stringify(told(url, result), null, 2)}\n` : shown(url, result, lookOf(out, env)))
  return result.success ? EXIT_HEALTHY : EXIT_UNHEALTHY
}

function checkOf(url: string, rules: Partial<Check> = {}): Check {
  return {
    guid: '00000000-0000-4000-8000-000000000000',
    name: 'by hand',
    url,
    enabled: true,
    deleted: false,
    interval_sec: 60,
    match_string: '',
    result_detail_max_chars: 0,
    updated_at: '1970-01-01T00:00:00.000000Z',
    ...rules,
  }
}

function told(
  url: string,
  { response_sample: _, redirects: _redirects, phases, outcomes, ...result }: RunResult,
): unknown {
  const tenths = Object.entries<number>({ ...phases }).map(([name, ms]) => [name, Math.round(ms * 10) / 10] as const)
  const assertions = outcomes?.map(({ rule, passed, seen }) => ({ ...rule, passed: passed ?? null, seen }))
  return { url: withoutPassword(url), ...result, ...(assertions && { assertions }), phases: Object.fromEntries(tenths) }
}

/** Format of the output for a screen. */
interface Look {
  bars: boolean
  color: boolean
  width: number
}

function lookOf({ isTTY = false, columns }: Screen, { NO_COLOR, TERM }: Record<string, string | undefined>): Look {
  const bars = isTTY && TERM !== 'dumb'
  return { bars, color: bars && !NO_COLOR, width: columns || 80 }
}

function shown(url: string, result: RunResult, look: Look): string {
  const { success, error, http_status, latency_ms, address, outcomes = [], phases } = result
  const state = success ? painted('up', 32, look.color) : painted('down', 31, look.color)
  const facts = [
    state,
    http_status > 0 ? `status ${http_status}` : '',
    `${latency_ms} ms`,
    address ? `at ${address}` : '',
  ]
  const lines = look.bars ? waterfall(phases, look) : phaseLines(phases)
  const rules = outcomes.map(
    (outcome, index) => `  ${printable(wordsOfOutcome(outcome, index + 1))}: ${wordOf(outcome)}`,
  )
  const all = [withoutPassword(url), `  ${facts.filter((fact) => fact !== '').join(', ')}`, ...lines, ...rules]
  if (!success) all.push(`  ${error}`)
  return `${all.join('\n')}\n`
}

function wordOf({ passed }: AssertionOutcome): string {
  if (passed === undefined) return 'not judged'
  return passed ? 'passed' : 'failed'
}

/** Replaces the password of a URL, because other people see terminals, and terminals keep logs. */
function withoutPassword(url: string): string {
  const parsed = new URL(url)
  if (parsed.username === '' && parsed.password === '') return printable(url)
  // A token is often a user without a password.
  if (parsed.password === '') parsed.username = '***'
  else parsed.password = '***'
  return parsed.href
}
