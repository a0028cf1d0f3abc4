// Decides whether others in the network could read the login of the mail server.

/** Whether the login in a URL might be sent unencrypted, if the server or a machine in between asks for that. */
export function hasOpenLogin(smtp_url: string): boolean {
  const { protocol, username, password } = new URL(smtp_url)
  return protocol === 'smtp:' && (username !== '' || password !== '')
}

/** Whether the options of a URL turn encryption off. */
export function refusesEncryption(smtp_url: string): boolean {
  const { searchParams: given } = new URL(smtp_url)
  const isOn = (name: string) => given.getAll(name).some((value) => value !== 'false')
  return isOn('ignoreTLS') || isOn('opportunisticTLS') || given.getAll('requireTLS').includes('false')
}

/**
 * Returns the URL with STARTTLS required if it contains a login. The option is part of the URL, because options in a URL override
 * all others.
 */
export function withEncryptedLogin(smtp_url: string): string {
  if (!hasOpenLogin(smtp_url)) return smtp_url
  const url = new URL(smtp_url)
  for (const name of ['ignoreTLS', 'opportunisticTLS', 'service']) url.searchParams.delete(name)
  url.searchParams.set('requireTLS', 'true')
  return url.href
}
