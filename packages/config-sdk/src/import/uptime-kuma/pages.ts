// Imports status pages of Uptime Kuma. The first published one becomes the status page.
import type { FileStatusPage } from '../../file/format.ts'
import { keyFrom } from '../../file/keys.ts'
import {
  type Audit,
  byColumn,
  carried,
  differently,
  type Fields,
  flag,
  flagOf,
  impossible,
  internal,
  lostUnless,
  numberOf,
  type Rules,
  readFields,
  text,
  textOf,
  unread,
} from '../audit.ts'

const LOOKS = unread(impossible('the design of the status page is fixed'))

const PAGE: Rules<FileStatusPage> = {
  id: internal,
  slug: text((value, { draft }) => (value === draft.slug ? carried : differently(`slug ${draft.slug}`))),
  title: text((value, { draft }) => (value === draft.title ? carried : differently('cut to 100 characters'))),
  description: text((value, { draft }) => {
    draft.description = value.slice(0, 1000)
    return draft.description === value ? carried : differently('cut to 1000 characters')
  }),
  icon: LOOKS,
  theme: lostUnless(text, ['auto', 'light'], 'the design of the status page is fixed'),
  published: flag(carried),
  search_engine_index: lostUnless(flag, [true], 'search engine indexing cannot be set'),
  show_tags: lostUnless(flag, [false], 'status pages do not show tags'),
  password: unread(impossible('status pages cannot have a password')),
  created_date: unread(impossible('history and current state are not imported')),
  modified_date: unread(impossible('history and current state are not imported')),
  footer_text: LOOKS,
  custom_css: LOOKS,
  show_powered_by: internal,
  google_analytics_tag_id: unread(impossible('status pages load no third-party scripts')),
  analytics_id: unread(impossible('status pages load no third-party scripts')),
  analytics_script_url: unread(impossible('status pages load no third-party scripts')),
  analytics_type: unread(impossible('status pages load no third-party scripts')),
  show_certificate_expiry: lostUnless(flag, [false], 'status pages do not show certificates'),
  auto_refresh_interval: internal,
  show_only_last_heartbeat: lostUnless(flag, [false], 'the design of the status page is fixed'),
  rss_title: unread(impossible('status pages have no feed title')),
}

export interface PageTables {
  pages: readonly Fields[]
  groups: readonly Fields[]
  /** Rows that assign monitors to the groups of a page. */
  members: readonly Fields[]
}

/** Finds the item of a monitor by the monitor's id. */
export type ThingOf = (
  monitor_id: unknown,
) => { section: 'checks' | 'heartbeats'; key: string; name: string } | undefined

export function readPages(
  { pages, groups, members }: PageTables,
  thingOf: ThingOf,
  audit: Audit,
): FileStatusPage | undefined {
  const [first, ...others] = pages.toSorted(
    (one, other) => Number(flagOf(other.published) ?? false) - Number(flagOf(one.published) ?? false),
  )
  for (const page of others)
    audit.refuse('status page', textOf(page.title) || textOf(page.slug), '', 'an organisation has only one status page')
  if (!first) return undefined
  const title = textOf(first.title)
  const draft: FileStatusPage = { slug: slugFrom(textOf(first.slug)), title: title.slice(0, 100) || 'Status' }
  readFields({ audit, kind: 'status page', thing: title, source: first, draft }, first, PAGE)
  const own = groups.filter(({ status_page_id }) => status_page_id === first.id).toSorted(byWeight)
  const membersOf = byColumn(members, 'group_id')
  const entries = own.flatMap((group) => {
    const listed = membersOf(group.id).toSorted(byWeight)
    if (own.length > 1)
      audit.say(
        'status page',
        title,
        `group ${textOf(group.name)}`,
        differently('entries are imported without the group heading'),
      )
    return listed.flatMap((member) => entryOf(member, thingOf, audit, title) ?? [])
  })
  const seen = new Set<string>()
  draft.entries = entries.filter((entry) => {
    const id = JSON.stringify([entry.check, entry.heartbeat])
    return seen.has(id) ? false : seen.add(id)
  })
  return draft
}

function entryOf(member: Fields, thingOf: ThingOf, audit: Audit, title: string) {
  const thing = thingOf(member.monitor_id)
  const say = (field: string, said: Parameters<Audit['say']>[3]) => audit.say('status page', title, field, said)
  if (flagOf(member.send_url) === true) say('send_url', impossible('status pages do not show addresses'))
  if (textOf(member.custom_url) !== '') say('custom_url', impossible('status pages do not show addresses'))
  if (!thing) {
    say(`monitor ${textOf(member.monitor_id)}`, impossible('the monitor was not imported'))
    return undefined
  }
  say(`monitor ${thing.name}`, carried)
  return { [thing.section === 'checks' ? 'check' : 'heartbeat']: thing.key, public_name: thing.name.slice(0, 100) } as {
    check?: string
    heartbeat?: string
    public_name: string
  }
}

/** Makes a slug of 3 to 40 lower-case letters, digits and hyphens. */
function slugFrom(text: string): string {
  const slug = keyFrom(text)
    .replaceAll(/[._]/g, '-')
    .slice(0, 40)
    .replace(/(?<!-)-+$/, '')
  return slug.length >= 3 ? slug : `status-${slug || 'page'}`
}

function byWeight(one: Fields, other: Fields): number {
  return (numberOf(one.weight) ?? 0) - (numberOf(other.weight) ?? 0)
}
