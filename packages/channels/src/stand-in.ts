// Redirects the fixed hosts of vendors to other servers in tests.
const STAND_INS = new Map<string, string>()

/** Sends all requests for one origin, such as `https://api.example.com`, to another one. The guard of egress still applies. */
export function standIn(origin: string, other: string): void {
  STAND_INS.set(origin, other)
}

/** Returns the URL to request in place of `url`: the same one, unless a test has redirected its origin. */
export function withStandIn(url: string): string {
  if (STAND_INS.size === 0 || !URL.canParse(url)) return url
  const { origin } = new URL(url)
  const other = STAND_INS.get(origin)
  return other === undefined ? url : other + url.slice(origin.length)
}
