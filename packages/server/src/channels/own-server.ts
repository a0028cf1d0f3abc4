// Servers that people run themselves are named by one url.

/** A path below the url of a server, which may be below a path itself. */
export function pathOn(server: string, path: string): string {
  const url = new URL(server)
  const [pathname = '', search = ''] = path.split('?')
  url.pathname = url.pathname.replace(/(?<!\/)\/+$/, '') + pathname
  url.search = search
  url.hash = ''
  return url.href
}

/** What a request says to be let in, as Basic authentication has it. */
export function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}
