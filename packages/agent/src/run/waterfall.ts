// Draws the phases of a run as bars, each beginning where the previous one ended.
import type { Phases } from '../probes/observation.ts'

export interface WaterfallOptions {
  /** Length of a line, in characters. */
  width: number
  color: boolean
}

const NAMES: Record<keyof Phases, string> = {
  dns: 'name lookup',
  connect: 'connect',
  tls: 'TLS handshake',
  first_byte: 'first byte',
  body: 'answer',
}
const COLORS: Record<keyof Phases, number> = { dns: 36, connect: 33, tls: 35, first_byte: 32, body: 34 }
const NAME_CHARS = 15
const TIME_CHARS = 12
const BARS_MAX = 60
/** Parts of a bar, from none up to seven eighths of a character. */
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** Draws one line for each phase of the run. */
export function waterfall(phases: Phases, { width, color }: WaterfallOptions): string[] {
  const parts = partsOf(phases)
  const total_ms = parts.reduce((sum, { ms }) => sum + ms, 0)
  const chars = Math.max(8, Math.min(BARS_MAX, width - NAME_CHARS - TIME_CHARS - 2))
  let before_ms = 0
  return parts.map(({ phase, ms }) => {
    const bar = barOf(before_ms / total_ms, ms / total_ms, chars)
    before_ms += ms
    return nameOf(phase) + painted(bar.padEnd(chars), COLORS[phase], color) + timeOf(ms)
  })
}

/** Lists the phases without bars, for outputs that are not terminals. */
export function phaseLines(phases: Phases): string[] {
  return partsOf(phases).map(({ phase, ms }) => nameOf(phase) + timeOf(ms))
}

export function painted(text: string, code: number, color: boolean): string {
  return color ? `\u001b[${code}m${text}\u001b[0m` : text
}

/** Replaces control characters, because text from elsewhere must not control the terminal. */
export function printable(text: string): string {
  return text.replace(/[^\P{Cc}\n]/gu, '\uFFFD')
}

function partsOf(phases: Phases): { phase: keyof Phases; ms: number }[] {
  const present = (Object.keys(NAMES) as (keyof Phases)[]).filter((phase) => phases[phase] !== undefined)
  return present.map((phase) => ({ phase, ms: phases[phase] ?? 0 }))
}

/** Draws a bar from its start and length as fractions of the whole. Even the shortest phase is visible. */
function barOf(from: number, share: number, chars: number): string {
  const start = Math.min(chars - 1, Math.floor((from || 0) * chars))
  const eighths = Math.min((chars - start) * 8, Math.max(1, Math.round((share || 0) * chars * 8)))
  return ' '.repeat(start) + '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? '')
}

function nameOf(phase: keyof Phases): string {
  return `  ${NAMES[phase]}`.padEnd(NAME_CHARS + 2)
}

function timeOf(ms: number): string {
  return `${ms.toFixed(1)} ms`.padStart(TIME_CHARS)
}
