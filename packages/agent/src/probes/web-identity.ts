// Derives the name of the server and the credentials of a request from its URL and headers.

interface WebIdentity {
  url: URL
  headers: Readonly<Record<string, string>>
}

/** Returns the name that the certificate must be for: the Host header, unless that is not a valid host. */
export function serverName({ url, headers }: WebIdentity, dialled: string): string {
  const given = Object.entries(headers).findLast(([name]) => name.toLowerCase() === 'host')?.[1]
  if (given === undefined || !URL.canParse(`${url.protocol}//${given}`)) return dialled
  const { hostname } = new URL(`${url.protocol}//${given}`)
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/(?<!\.)\.+$/, '') || dialled
}

/** Returns the header for the user and password of a URL, or undefined if it has none. */
export function basicAuth({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined
  return `Basic ${Buffer.from(`${decoded(username)}:${decoded(password)}`, 'latin1').toString('base64')}`
}

/** Returns a byte for each character. Keeps a percent sign unless two hex digits follow it. */
function decoded(part: string): string {
  return part.replaceAll(/%([\da-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
}
