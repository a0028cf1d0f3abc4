// Vendors' hosts are fixed in the folders of their kinds. A test has somebody else stand in for one of them.
const STAND_INS = new Map<string, string>()

/** Has everything for one origin, such as `https://api.example.com`, sent to another. The guard of egress asks as ever. */
export function standIn(origin: string, other: string): void {
  STAND_INS.set(origin, other)
}

/** The url that is asked instead of this one: mostly the same. */
export function withStandIn(url: string): string {
  if (STAND_INS.size === 0 || !URL.canParse(url)) return url
  const { origin } = new URL(url)
  const other = STAND_INS.get(origin)
  return other === undefined ? url : other + url.slice(origin.length)
}
