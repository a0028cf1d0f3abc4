// Finds secrets in a text, in any notation that pages and programs commonly use, and also where the text was cut within one.

/** Minimum length of a secret. Shorter words occur in any text. */
export const SECRET_MIN = 6
/**
 * Number of characters to compare of a secret that the end of the text may cut off. As many at the end of the text stay hidden,
 * so that no one learns a secret piece by piece.
 */
const COMPARED = 32
/** Number of characters to hide at the end of a cut text. One more escape may have been cut in the middle. */
const END = COMPARED + 8
/** Number of times to decode a text, because a page can escape what a program has escaped. */
const DECODED_TIMES = 2
/** Maximum number of characters to compare in one text. A text that would cost more is hidden completely. */
const MOST_WORK = 500_000

export interface TextRange {
  from: number
  until: number
}

/** Maximum total length of secrets to decode. Beyond that, the search finds secrets only in their written form. */
const MOST_DECODED = 16_384

/** Secrets by their first characters, and a coarse set of these for fast lookups. */
export interface SecretIndex {
  size: number
  byBeginning: ReadonlyMap<string, readonly string[]>
  beginnings: Uint8Array
}

/** Makes secrets searchable in each notation. */
export function indexSecrets(secrets: Iterable<string>): SecretIndex {
  const forms = new Set<string>()
  let decoded = 0
  for (const secret of secrets) {
    let text = secret
    for (let times = 0; times <= DECODED_TIMES; times++) {
      const form = folded(text)
      if (form.length >= SECRET_MIN) forms.add(form)
      if (decoded + text.length > MOST_DECODED) break
      const inner = decode(text)
      if (inner === undefined) break
      decoded += text.length
      text = inner.text
    }
  }
  const beginnings = new Uint8Array(BEGINNINGS)
  for (const form of forms) beginnings[beginningAt(form, 0)] = 1
  return { size: forms.size, byBeginning: Map.groupBy(forms, (form) => form.slice(0, SECRET_MIN)), beginnings }
}

const BEGINNINGS = 4096

function beginningAt(text: string, at: number): number {
  const [one, other, third] = [text.charCodeAt(at), text.charCodeAt(at + 2), text.charCodeAt(at + 5)]
  return (one * 961 + other * 31 + third) % BEGINNINGS
}

/** Returns where secrets are in a text, in order and with overlaps merged. Returns undefined if the search costs too much. */
export function findSecrets(index: SecretIndex, text: string, isCut: boolean): TextRange[] | undefined {
  const found: TextRange[] = []
  let work = MOST_WORK
  let level: DecodedText | undefined = { text, starts: undefined, ends: undefined }
  for (let times = 0; level !== undefined && times <= DECODED_TIMES; times++) {
    const { starts, ends } = level
    const within = folded(level.text)
    const add = (from: number, until: number) => {
      found.push({ from: starts?.[from] ?? from, until: ends?.[until - 1] ?? until })
    }
    for (let from = 0; from + SECRET_MIN <= within.length; from++) {
      if (index.beginnings[beginningAt(within, from)] === 0) continue
      for (const secret of index.byBeginning.get(within.slice(from, from + SECRET_MIN)) ?? []) {
        const until = from + secret.length
        const isBegun = isCut && until > within.length && secret.length > COMPARED
        work -= isBegun ? COMPARED : secret.length
        if (work < 0) return undefined
        if (isBegun && within.startsWith(secret.slice(0, COMPARED), from)) add(from, within.length)
        else if (within.startsWith(secret, from)) add(from, until)
      }
    }
    if (isCut && within.length > 0) add(Math.max(0, within.length - END), within.length)
    level = decode(level.text, level)
  }
  return joined(found)
}

function joined(found: TextRange[]): TextRange[] {
  const places: TextRange[] = []
  for (const place of found.sort((one, other) => one.from - other.from)) {
    const last = places.at(-1)
    if (last && place.from < last.until) last.until = Math.max(last.until, place.until)
    else places.push(place)
  }
  return places
}

/** Returns a text of the same length in lower case, with each `+` as a space. */
function folded(text: string): string {
  // The only letter that becomes two in lower case.
  return text.replaceAll('İ', 'I').toLowerCase().replaceAll('+', ' ')
}

interface DecodedText {
  text: string
  /** Start and end of each character in the original text. Undefined for that text itself. */
  starts: Uint32Array | undefined
  ends: Uint32Array | undefined
}

/** Escapes of HTML, of addresses and forms, and of JSON and other programs. */
const ESCAPE =
  /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos));?|((?:%[\da-f]{2})+)|\\(?:u([\da-f]{4})|x([\da-f]{2})|(["'\\/bfnrt]))/gi
const NAMED = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }))
const LETTERED = new Map(Object.entries({ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }))

/** Returns a text with its escapes decoded, or undefined if it has none. */
function decode(text: string, { starts, ends }: Partial<DecodedText> = {}): DecodedText | undefined {
  const [from, until] = [new Uint32Array(text.length), new Uint32Array(text.length)]
  const parts: string[] = []
  let [at, end] = [0, 0]
  const put = (part: string, first: number, last: number) => {
    parts.push(part)
    for (let n = 0; n < part.length; n++, at++) {
      from[at] = starts?.[first] ?? first
      until[at] = ends?.[last - 1] ?? last
    }
  }
  const copyUntil = (last: number) => {
    if (end < last) parts.push(text.slice(end, last))
    for (; end < last; end++, at++) {
      from[at] = starts?.[end] ?? end
      until[at] = ends?.[end] ?? end + 1
    }
  }
  for (const match of text.matchAll(ESCAPE)) {
    copyUntil(match.index)
    end += match[0].length
    const percents = match[4]
    if (percents === undefined) put(escaped(match), match.index, end)
    else for (const { part, first, last } of bytesIn(percents)) put(part, match.index + first, match.index + last)
  }
  if (parts.length === 0) return undefined
  copyUntil(text.length)
  return { text: parts.join(''), starts: from, ends: until }
}

function escaped([whole, decimal, hex, named, , unicode, byte, letter]: RegExpExecArray): string {
  const code = decimal === undefined ? Number.parseInt(hex ?? unicode ?? byte ?? '', 16) : Number(decimal)
  if (named !== undefined) return NAMED.get(named.toLowerCase()) ?? whole
  if (letter !== undefined) return LETTERED.get(letter) ?? letter
  return code <= 0x10ffff ? String.fromCodePoint(code) : '\uFFFD'
}

/** Decodes `%41%c3%a9`: each ASCII character by itself, and the bytes between them together. */
function* bytesIn(percents: string): Generator<{ part: string; first: number; last: number }> {
  const bytes = Buffer.from(percents.replaceAll('%', ''), 'hex')
  for (let at = 0; at < bytes.length; ) {
    const first = at++
    if ((bytes[first] ?? 0) >= 0x80) while ((bytes[at] ?? 0) >= 0x80) at++
    yield { part: bytes.toString('utf8', first, at), first: 3 * first, last: 3 * at }
  }
}
