// What a browser calls itself, in words that people know it by.

const BROWSERS: readonly (readonly [mark: string, name: string])[] = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['CriOS/', 'Chrome'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
  ['curl/', 'curl'],
]

const SYSTEMS: readonly (readonly [mark: string, name: string])[] = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['CrOS', 'ChromeOS'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
]

/** `Firefox on Linux`; "Unknown browser" for what is not known, or was never told. */
export function deviceWords(user_agent: string | null): string {
  const find = (list: typeof BROWSERS) => list.find(([mark]) => user_agent?.includes(mark))?.[1]
  const [browser = 'Unknown browser', system] = [find(BROWSERS), find(SYSTEMS)]
  return system === undefined ? browser : `${browser} on ${system}`
}
