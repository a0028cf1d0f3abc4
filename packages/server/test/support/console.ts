// What the tests of pages have in common: people in browsers, links in mails, notes in the audit log.

import { addMember } from '@dogwatch/domain/organisations/members'
import { setAdmin } from '@dogwatch/domain/people/edit'
import { openSession } from '@dogwatch/domain/people/sessions'
import type { Mail } from '../../../channels/test/support/mail-server.ts'
import { Browser } from './browser.ts'
import type { Org, World } from './world.ts'

/** For pages of a server that sends mail. It sends none. */
export const MAILER = { send: async () => {}, close: () => {} }

export interface Somebody {
  person_id: number
  email: string
  browser: Browser
}

let count = 0

export async function ownerOf(w: World, { org_id, owner_id }: Org): Promise<Somebody> {
  const [row] = await w.rows('select email from people where person_id = $1', owner_id)
  const browser = new Browser(w.direct, await openSession(w.deps, owner_id, org_id))
  return { person_id: owner_id, email: String(row?.email), browser }
}

export async function memberOf(w: World, { org_id }: Org): Promise<Somebody> {
  const email = `bob-${count++}@example.com`
  const { person_id } = await addMember(w.deps, org_id, email)
  return { person_id, email, browser: new Browser(w.direct, await openSession(w.deps, person_id, org_id)) }
}

/** Of the platform, with an org of their own. */
export async function adminOf(w: World): Promise<Somebody> {
  const admin = await ownerOf(w, await w.org())
  await setAdmin(w.deps, admin.email, true)
  return admin
}

/** The path of the one link in a mail. */
export function linkIn(mail: Mail | undefined): string {
  const text = (mail?.raw ?? '').replaceAll('=\r\n', '')
  const [, path = ''] = /http:\/\/dogwatch\.example(\/\S+)/.exec(text) ?? []
  if (path === '') throw new Error(`no link in\n${text}`)
  return path
}

/** Who did what to what in an org, oldest first; not what operators did, who make the world. */
export async function deedsOf(w: World, { org_id }: Pick<Org, 'org_id'>): Promise<string[]> {
  const rows = (await w.rows(
    "select * from audit_entries where org_id = $1 and actor <> 'operator' order by entry_id",
    org_id,
  )) as {
    actor: string
    impersonator: string | null
    action: string
    subject: string
  }[]
  return rows.map(({ actor, impersonator, action, subject }) => {
    const who = impersonator === null ? actor : `${impersonator} as ${actor}`
    return `${who}: ${action} ${subject}`
  })
}

export const faultsOf = (browser: Browser) => browser.all('main [role=alert]').map((one) => one.text.trim())

/** The fields that something is wrong with, what is said at each, and where the page begins. */
export function faultyFields(browser: Browser): { faults: Record<string, string | undefined>; first: string[] } {
  const faulty = browser.all('[aria-invalid=true]').map((one) => {
    const told = `${one.id}-fault`
    const isRead = (one.getAttribute('aria-describedby') ?? '').split(' ').includes(told)
    return [one.id, isRead ? browser.all(`[id="${told}"]`)[0]?.text : undefined] as const
  })
  return { faults: Object.fromEntries(faulty), first: browser.all('[autofocus]').map(({ id }) => id) }
}
