// Reads the tokens of the stylesheet and computes the contrast of pairs of colours. WCAG 2.2 requires 4.5 for text, and 3 for the
// borders of controls and the icons of states.
import { readFileSync } from 'node:fs'

export const SCHEMES = ['light', 'dark'] as const
export type Scheme = (typeof SCHEMES)[number]

type Colours = ReadonlyMap<string, Readonly<Record<Scheme, string>>>

const FILE = new URL('../../assets/styles/tokens.css', import.meta.url)
const TOKEN = /^ {2}--([a-z0-9-]+): (?:light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)|(#[0-9a-f]{6}));$/gm

/** Reads the colours for light and dark mode, by name. */
export function readColours(): Colours {
  const colours = new Map<string, Record<Scheme, string>>()
  for (const [, name = '', light, dark, both = ''] of readFileSync(FILE, 'utf8').matchAll(TOKEN)) {
    colours.set(name, { light: light ?? both, dark: dark ?? both })
  }
  return colours
}

interface Pair {
  over: string
  under: string
  /** Minimum contrast of the two colours. */
  least: 4.5 | 3
}

const GROUNDS = ['paper', 'surface', 'paper-2']

/** Pairs of colours that appear one over the other. */
export const PAIRS: readonly Pair[] = [
  ...GROUNDS.flatMap((under) =>
    ['ink', 'ink-2', 'link', 'good', 'bad', 'warn', 'idle'].map((over): Pair => ({ over, under, least: 4.5 })),
  ),
  ...GROUNDS.flatMap((under) => ['line-2', 'action'].map((over): Pair => ({ over, under, least: 3 }))),
  ...['good', 'bad', 'warn', 'idle'].flatMap((tone): Pair[] => [
    { over: tone, under: `${tone}-paper`, least: 4.5 },
    { over: 'ink', under: `${tone}-paper`, least: 4.5 },
    { over: 'link', under: `${tone}-paper`, least: 4.5 },
  ]),
  ...[1, 2, 3, 4, 5, 6, 7, 8].map((line): Pair => ({ over: `series-${line}`, under: 'surface', least: 3 })),
  { over: 'link', under: 'accent-paper', least: 4.5 },
  { over: 'ink', under: 'accent-paper', least: 4.5 },
  { over: 'ink', under: 'line', least: 4.5 },
  { over: 'bad', under: 'line', least: 3 },
  ...['action', 'action-2'].map((under): Pair => ({ over: 'action-ink', under, least: 4.5 })),
]

/** Returns the contrast of two colours, from 1 (the same) to 21 (black on white). */
export function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}
