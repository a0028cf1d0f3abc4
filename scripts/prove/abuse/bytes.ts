// Requests as bytes, for a crowd to send.
export interface FormPost {
  path: string
  cookie?: string
  body: string
}

/** A form as a browser sends it. */
export function formPost({ path, cookie, body }: FormPost): string {
  const lines = [
    `POST ${path} HTTP/1.1`,
    'Host: x',
    'Accept: text/html',
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(cookie === undefined ? [] : [`Cookie: ${cookie}`]),
  ]
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}

/** A page's form token, with the cookies that it goes with. */
export async function readForm(port: number, path: string, cookie = ''): Promise<{ csrf: string; cookie: string }> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { cookie, accept: 'text/html' } })
  const csrf = /name="csrf" value="([^"]+)"/.exec(await answer.text())?.[1]
  if (csrf === undefined) throw new Error(`${path} answered ${answer.status} without a form`)
  const given = answer.headers.getSetCookie().map((line) => line.split(';')[0] ?? '')
  return { csrf, cookie: [cookie, ...given].filter((one) => one !== '').join('; ') }
}
