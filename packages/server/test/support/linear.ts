// Whether what reads a text takes time in proportion to its length. No clock is looked at: only the work of the thread that reads
// counts, not that of those which collect garbage or compile beside it, and only how it grows.

/** The longest text that is tried. */
export const LARGE = 64 * 1024
const SMALL = LARGE / 4
/** So little work for the large text is no attack, however it grows. */
const FREE_MS = 25
/** How often the square takes the work of the small text for the large one, which is four times as long. */
const SQUARE_TIMES = 16
const MOST_TIMES = 9
const TRIES = 10
/** Work for a text that shows the square, so that no longer text is tried. */
const SHOWN_MS = 1000

type Work = (text: string) => unknown

/** Undefined when it is linear; else what it took. `make` makes a text of about that many characters. */
export async function faultOfGrowth(
  work: Work,
  make: (length: number) => string,
  tries = TRIES,
): Promise<string | undefined> {
  let [small, large] = [await costOf(work, make(SMALL)), Infinity]
  // Even with the square, the large text would be no attack.
  if (small * SQUARE_TIMES <= FREE_MS) return undefined
  for (let left = tries; left > 0; left--) {
    large = Math.min(large, await costOf(work, make(LARGE)))
    if (large <= FREE_MS) return undefined
    small = Math.min(small, await costOf(work, make(SMALL)))
    if (large <= MOST_TIMES * Math.max(small, 1)) return undefined
  }
  // Memory costs more from some length on. That step comes once or twice, and the square at each longer text, unless it is refused.
  let shorter = large
  for (const times of [4, 16]) {
    let longer = await costOf(work, make(times * LARGE))
    // Measured again, unless it would take long.
    if (longer <= SHOWN_MS) longer = Math.min(longer, await costOf(work, make(times * LARGE)))
    if (longer >= shorter && longer <= MOST_TIMES * shorter) return undefined
    if (longer > SHOWN_MS) break
    shorter = longer
  }
  return `${small.toFixed(1)} ms of work for ${SMALL}, ${large.toFixed(1)} ms for ${LARGE}`
}

/** What it refuses is as good as what it takes. */
async function costOf(work: Work, text: string): Promise<number> {
  const before = process.threadCpuUsage()
  try {
    await work(text)
  } catch {}
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

/** What parsers have stumbled over, each to be repeated. */
const UNITS = [
  ...['[', '{"a":', '[{', '{', '"', '\\"', '\\', '"a":1,', '[],', 'null,'],
  ...['&', '=', 'a&', 'a=b&', 'a=b;', ';', 'csrf=&', '%41', '%', '%ff', '+', '%2B'],
  ...[',', 'a,', '1,', '9', '0', '.', 'a.', '1.', '1:', ':', '::', 'ffff:', '-', '0x'],
  ...['/', '../', '//', '?', '#', '@', 'a@', 'https://', ' ', '\t', '\n', '\r\n', 'a:b\n', 'a:\r\n', '\r\n ', '\n\n'],
  ...['x', 'A', '_', '\0', 'é', 'ü.', '\u{1f600}', '\ud800', '\u2028', '１'],
  ...[
    '(',
    '(a*',
    'a*',
    '{1}',
    '[a',
    '\\p{L}',
    '|',
    '1 s ',
    'Jan ',
    'content-length:1\r\n',
    'content-length: 1,',
    'Bearer ',
  ],
]

/** Documents of about that length that are JSON. */
const DOCUMENTS: Record<string, (length: number) => string> = {
  'arrays in arrays': (n) => '['.repeat(n / 2) + ']'.repeat(n / 2),
  'objects in objects': (n) => `${'{"a":'.repeat(n / 6)}1${'}'.repeat(n / 6)}`,
  'objects in arrays': (n) => `${'[{"a":'.repeat(n / 8)}1${'}]'.repeat(n / 8)}`,
  'many names': (n) => `{${Array.from({ length: n / 10 }, (_, i) => `"n${i}":{}`).join(',')}}`,
  'one name again and again': (n) =>
    `{${Array(Math.floor(n / 6))
      .fill('"a":1')
      .join(',')}}`,
  'many small ones': (n) =>
    `[${Array(Math.floor(n / 3))
      .fill('{}')
      .join(',')}]`,
  'many digits': (n) => `[${'9'.repeat(n)}]`,
  'many digits after a point': (n) => `[0.${'1'.repeat(n)}e-1]`,
  'an exponent': (n) => `[1e${'9'.repeat(n)}]`,
  escapes: (n) => `["${'\\u0041'.repeat(n / 6)}"]`,
  blanks: (n) => `[${' '.repeat(n)}]`,
}

/** Texts of about a length, by what they are made of. */
export const WORST: Record<string, (length: number) => string> = {
  ...Object.fromEntries(
    UNITS.map((unit) => [JSON.stringify(unit), (n: number) => unit.repeat(Math.ceil(n / unit.length))]),
  ),
  ...DOCUMENTS,
}
