// Where one can go: every page of the route table and every form on it, so that a new one is visited by itself.
import type { Access } from '@dogwatch/console/route'
import { ROUTES } from '../../../console/src/routes.ts'
import type { FullOrg } from './full-org.ts'
import type { Visitor } from './visitor.ts'

export interface Place {
  path: string
  access: Access
}

/** The status page is no route of the console, and a page all the same. */
export const PLACES: readonly Place[] = [
  ...ROUTES.filter(({ method }) => method === 'GET'),
  { path: '/status/:slug', access: 'anyone' },
]

/** What `:secret` is, by where a path begins. */
const SECRETS: Readonly<Record<string, string>> = {
  a: 'incidentLink',
  invitations: 'invitation',
  'confirm-address': 'confirm',
  'reset-password': 'reset',
  'sign-up': 'signup',
  'set-up': 'setup',
  unsubscribe: 'unsubscribe',
}

/** Every path of a place, its parameters filled in: the last one in each way, others in the first. */
export function pathsOf({ params }: Pick<FullOrg, 'params'>, { path }: Place): string[] {
  const valuesOf = (name: string): readonly string[] => {
    const kind = name === 'secret' ? (SECRETS[path.split('/')[1] ?? ''] ?? name) : name
    const values = params[kind]
    if (!values?.[0]) throw new Error(`this world has no :${name} for ${path}: teach it one`)
    return values
  }
  const start = path.replace(/:(\w+)(?=\/)/g, (_, name: string) => valuesOf(name)[0] ?? '')
  const last = /:(\w+)$/.exec(start)?.[1]
  return last === undefined ? [start] : valuesOf(last).map((value) => start.replace(/:\w+$/, value))
}

/** The session that a place takes. */
export function sessionFor({ owner, admin }: FullOrg, { access }: Place): string | undefined {
  return access === 'anyone' ? undefined : access === 'admin' ? admin : owner
}

/**
 * Sends each form of a path that has fields for text, with `text` in them, past what the browser would refuse; `look` is
 * called on each page that this leads to. Returns how many there were.
 */
export async function sendForms(
  { page, open }: Visitor,
  path: string,
  text: string,
  look: () => Promise<void>,
): Promise<number> {
  for (let i = 0; ; i++) {
    if ((await open(path)) === 'file') return i
    const loaded = page.waitForEvent('load', { timeout: 60_000 })
    loaded.catch(() => {})
    if (!(await page.evaluate(SEND, [i, text] as const))) return i
    await loaded
    await look()
  }
}

const SEND = ([i, text]: readonly [number, string]): boolean => {
  const isText = 'input:not([type=hidden], [type=checkbox], [type=radio], [type=number], [type=file]), textarea'
  const forms = Array.from(document.querySelectorAll('form')).filter((form) => form.querySelector(isText))
  const form = forms[i]
  if (!form) return false
  form.noValidate = true
  for (const field of form.querySelectorAll<HTMLInputElement>(isText)) {
    // Of checks to import there is a page to see only when they are checks.
    const isFile = field.name === 'file'
    const check = { name: text, url: 'https://x.example/', interval_sec: 60, match_string: text, post_data: text }
    field.value = isFile ? JSON.stringify([check]) : text
  }
  form.submit()
  return true
}
