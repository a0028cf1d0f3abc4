// Names browsers and systems in words that people know, by the text that a browser sends about itself.

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

/** Returns words such as `Firefox on Linux`, or "Unknown browser" if the browser is unknown or sent no name. */
export function deviceWords(user_agent: string | null): string {
  const find = (list: typeof BROWSERS) => list.find(([mark]) => user_agent?.includes(mark))?.[1]
  const [browser = 'Unknown browser', system] = [find(BROWSERS), find(SYSTEMS)]
  return system === undefined ? browser : `${browser} on ${system}`
}
