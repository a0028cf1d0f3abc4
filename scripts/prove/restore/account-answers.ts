// Reads every response of the account API for an organisation, byte for byte.
import { createHash } from 'node:crypto'

/** Status, content type and body by path. A long body is its size and hash. */
export type Answers = ReadonlyMap<string, string>

const PREFIX = '/account-api/v1'
const SHORT = 4000

export async function readAnswers(server_url: string, token: string): Promise<Answers> {
  const answers = new Map<string, string>()
  const get = async (path: string): Promise<string> => {
    const answer = await fetch(`${server_url}${PREFIX}${path}`, { headers: { Authorization: `Bearer ${token}` } })
    if (answer.status === 429) {
      await answer.text()
      await new Promise((resolve) => setTimeout(resolve, 1000 * Number(answer.headers.get('retry-after') ?? 1)))
      return get(path)
    }
    const body = await answer.text()
    answers.set(path, `${answer.status} ${answer.headers.get('content-type')} ${brief(body)}`)
    return body
  }
  const checks = JSON.parse(await get('/checks')) as { guid: string }[]
  for (const path of ['/heartbeats', '/members', '/monitors', '/notification-channels', '/settings']) await get(path)
  for (const { guid } of checks) {
    await get(`/checks/${guid}`)
    await readPages(get, `/checks/${guid}/results`)
  }
  await get('/checks/00000000-0000-4000-8000-000000000000')
  await get('/export')
  return answers
}

async function readPages(get: (path: string) => Promise<string>, path: string): Promise<void> {
  let query = ''
  for (;;) {
    const { next } = JSON.parse(await get(`${path}${query}`)) as { next?: { after: string; after_monitor: string } }
    if (!next) return
    query = `?after=${encodeURIComponent(next.after)}&after_monitor=${next.after_monitor}`
  }
}

/** Field that depends on the time of the request. */
const ASKED_AT = /"generated_at":"[^"]*"/

function brief(answer: string): string {
  const body = answer.replace(ASKED_AT, '')
  if (body.length <= SHORT) return body
  return `${body.length} characters, ${createHash('sha256').update(body).digest('hex')}`
}

/** Returns a line for each difference. */
export function compare(what: string, before: Answers, after: Answers): string[] {
  const paths = new Set([...before.keys(), ...after.keys()])
  return Array.from(paths)
    .filter((path) => before.get(path) !== after.get(path))
    .map((path) => `${what}: ${path} was ${before.get(path) ?? 'not asked'} and is ${after.get(path) ?? 'not asked'}`)
}
