// Converts lists of accepted HTTP status codes to the comparison of a check, or to its list.
import type { FileCheck } from '../file/format.ts'
import { carried, differently, idle, impossible, type Said } from './audit.ts'

const LEAST = 100
const MOST = 599
/** First final status code. Lower ones are only interim responses. */
const FINAL = 200
/** Lowest status code that fails a check without a rule. */
const FAILS_FROM = 400

/** Maximum number of codes and ranges in a list. */
const MOST_SPANS = 20

type Comparison = Pick<FileCheck, 'status_code_op' | 'status_code_value'>
export type StatusRule = Comparison & Pick<FileCheck, 'status_codes'>

export interface Span {
  from: number
  to: number
}

/** Parses `200`, `200-299` or `2xx`. Returns undefined for anything else. */
export function spanOf(text: string): Span | undefined {
  const word = text.trim().toLowerCase()
  if (/^[1-5]xx$/.test(word)) return { from: Number(word[0]) * 100, to: Number(word[0]) * 100 + 99 }
  const [first = '', last = first, ...more] = word.split('-').map((part) => part.trim())
  if (more.length > 0 || !/^\d{3}$/.test(first) || !/^\d{3}$/.test(last)) return undefined
  const [from, to] = [Number(first), Number(last)]
  return from >= LEAST && to <= MOST && from <= to ? { from, to } : undefined
}

/** Sets the status rule of a check for a list of accepted codes. Returns whether the rule accepts exactly these codes. */
export function acceptListed(check: StatusRule, listed: readonly string[]): Said {
  const spans = listed.map(spanOf)
  const known = spans.filter((span) => span !== undefined)
  return known.length === spans.length
    ? acceptStatuses(check, known)
    : impossible('lists values that are not status codes')
}

/** Sets the status rule of a check for ranges of accepted codes. Returns whether the rule accepts exactly these codes. */
export function acceptStatuses(check: StatusRule, spans: readonly Span[]): Said {
  const accepted = new Set<number>()
  for (const { from, to } of spans) for (let code = Math.max(from, FINAL); code <= to; code++) accepted.add(code)
  if (accepted.size === 0) return impossible('accepts no valid status code')
  const codes = [...accepted].toSorted((one, other) => one - other)
  const { rule, extra } = ruleFor(codes)
  const listed = runsOf(codes)
  // Older monitors support only a comparison, so a list is used only if a comparison would accept more codes.
  if (extra.length > 0 && listed.length <= MOST_SPANS) {
    check.status_codes = listed
    return carried
  }
  if (rule) Object.assign(check, rule)
  if (extra.length > 0) return differently(`${wordsOf(rule)}: ${namesOf(extra)} also pass`)
  return rule ? carried : idle
}

/** Returns the comparison that fits sorted codes best. `extra` contains the codes that it accepts in addition. */
function ruleFor(codes: readonly number[]): { rule?: Required<Comparison>; extra: number[] } {
  const [first = FINAL] = codes
  const last = codes.at(-1) ?? MOST
  const has = new Set(codes)
  const missing = (from: number, to: number) => {
    return Array.from({ length: to - from + 1 }, (_, index) => from + index).filter((code) => !has.has(code))
  }
  if (codes.length === 1) return { rule: is('eq', first), extra: [] }
  const all = missing(FINAL, MOST)
  if (all.length === 0) return { rule: is('gte', LEAST), extra: [] }
  if (all.length === 1) return { rule: is('ne', all[0] ?? MOST), extra: [] }
  if (last === MOST && missing(first, MOST).length === 0) return { rule: is('gte', first), extra: [] }
  const extra = missing(FINAL, last)
  if (last === FAILS_FROM - 1) return { extra }
  return { rule: is('lt', last + 1), extra }
}

function is(status_code_op: string, status_code_value: number): Required<Comparison> {
  return { status_code_op, status_code_value }
}

function wordsOf(rule: Required<Comparison> | undefined): string {
  return rule ? `status_code_op ${rule.status_code_op} ${rule.status_code_value}` : 'every status below 400 passes'
}

/** Formats runs of sorted codes as `201-203`. */
function runsOf(codes: readonly number[]): string[] {
  const runs: Span[] = []
  for (const code of codes) {
    const run = runs.at(-1)
    if (run && run.to === code - 1) run.to = code
    else runs.push({ from: code, to: code })
  }
  return runs.map(({ from, to }) => (from === to ? String(from) : `${from}-${to}`))
}

/** Lists ranges of codes in words, but no more than the first ones. */
function namesOf(codes: readonly number[]): string {
  const names = runsOf(codes)
  return names.length > 4 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ')
}
