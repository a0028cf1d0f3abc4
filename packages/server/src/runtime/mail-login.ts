// Whether the login of the mail server could be read in transit.

/** Whether a url has a login that would be sent unencrypted if the server, or somebody in between, asks for it. */
export function hasOpenLogin(smtp_url: string): boolean {
  const { protocol, username, password } = new URL(smtp_url)
  return protocol === 'smtp:' && (username !== '' || password !== '')
}

/** Options of a url that turn encryption off although it contains a login. */
export function refusesEncryption(smtp_url: string): boolean {
  const { searchParams: given } = new URL(smtp_url)
  const isOn = (name: string) => given.getAll(name).some((value) => value !== 'false')
  return isOn('ignoreTLS') || isOn('opportunisticTLS') || given.getAll('requireTLS').includes('false')
}

/**
 * The same url with STARTTLS required if it contains a login. Options in the url win over all others, so it is set
 * there.
 */
export function withEncryptedLogin(smtp_url: string): string {
  if (!hasOpenLogin(smtp_url)) return smtp_url
  const url = new URL(smtp_url)
  for (const name of ['ignoreTLS', 'opportunisticTLS', 'service']) url.searchParams.delete(name)
  url.searchParams.set('requireTLS', 'true')
  return url.href
}
