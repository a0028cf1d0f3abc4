// Builds requests to servers that users run themselves. The user enters the URL of the server.

/** Returns the URL of a path on a server. The URL of the server can contain a path itself. */
export function pathOn(server: string, path: string): string {
  const url = new URL(server)
  const [pathname = '', search = ''] = path.split('?')
  url.pathname = url.pathname.replace(/(?<!\/)\/+$/, '') + pathname
  url.search = search
  url.hash = ''
  return url.href
}

/** Returns the Authorization header of Basic authentication. */
export function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}
