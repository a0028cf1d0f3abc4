// Whether the login of the mail server can be read on its way.

/** Whether a url has a login that would go to the server unencrypted if the server, or somebody on the way, says so. */
export function hasOpenLogin(smtp_url: string): boolean {
  const { protocol, username, password } = new URL(smtp_url)
  return protocol === 'smtp:' && (username !== '' || password !== '')
}

/** Options of a url that turn encryption off, where it holds a login. */
export function refusesEncryption(smtp_url: string): boolean {
  const { searchParams: given } = new URL(smtp_url)
  const isOn = (name: string) => given.getAll(name).some((value) => value !== 'false')
  return isOn('ignoreTLS') || isOn('opportunisticTLS') || given.getAll('requireTLS').includes('false')
}

/** The same url with STARTTLS required if it holds a login. Options of the url win over all others, so it goes there. */
export function withEncryptedLogin(smtp_url: string): string {
  if (!hasOpenLogin(smtp_url)) return smtp_url
  const url = new URL(smtp_url)
  for (const name of ['ignoreTLS', 'opportunisticTLS', 'service']) url.searchParams.delete(name)
  url.searchParams.set('requireTLS', 'true')
  return url.href
}
