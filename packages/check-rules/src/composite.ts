// Reads the target of a composite check: the checks that are its members, and how many of them must be down.
import { decoded, type Fault, parted, type ShownAddress } from './address.ts'
import { type OptionsOf, readOptions } from './options.ts'
import { faultOfTags, tidyTag } from './tags.ts'

/** Maximum number of members of a composite check. */
export const MOST_MEMBERS = 200

export const COMPOSITE_OPTIONS = {
  /** Number of members that must be down. 0 means all of them. */
  down_at: {
    kind: 'whole',
    min: 1,
    max: MOST_MEMBERS,
    default: 0,
    label: 'Down when at least',
    unit: 'members are down',
    hint: 'Leave empty for all members. The composite is degraded if fewer are down.',
  },
} as const

/** Name of one member, or of all members with a tag. */
export interface MemberName {
  by: 'guid' | 'key' | 'tag'
  name: string
}

export interface CompositeAddress extends ShownAddress, OptionsOf<typeof COMPOSITE_OPTIONS> {
  /** Names of the members, each once. */
  members: MemberName[]
}

const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const KEY = /^[a-z0-9][a-z0-9._-]{0,63}$/
/** Text of one name. Other characters are written as `%XX`. */
const NAME = /^[^\s/?#@;,]+$/
const FORM = {
  fault:
    'must list members, separated by commas: the GUID of a check, key:KEY or tag:TAG. An example is composite:tag:web,key:shop',
}

export function readComposite(rest: string): CompositeAddress | Fault {
  const { authority: list, query } = parted(rest)
  const names = list.split(',')
  if (names.length > MOST_MEMBERS) return { fault: `must name at most ${MOST_MEMBERS} members` }
  const members = new Map<string, MemberName>()
  for (const text of names) {
    const member = readMember(text)
    if (!member) return FORM
    members.set(`${member.by}:${member.name}`, member)
  }
  const options = readOptions(COMPOSITE_OPTIONS, query)
  if ('fault' in options) return options
  // No monitor runs a composite check, so it needs no own monitors.
  return { ...options, members: [...members.values()], shown: list, needs_own_monitor: false }
}

function readMember(text: string): MemberName | undefined {
  if (!NAME.test(text)) return undefined
  const [, word = '', name = ''] = /^(?:(key|tag):)?(.*)$/.exec(text) ?? []
  if (word === 'key') return KEY.test(name) ? { by: 'key', name } : undefined
  if (word === '') return GUID.test(name.toLowerCase()) ? { by: 'guid', name: name.toLowerCase() } : undefined
  const tag = decoded(name)
  return tag !== undefined && faultOfTags([tag]) === undefined ? { by: 'tag', name: tidyTag(tag) } : undefined
}

/** Returns the url of a composite check. `down_at`: number of members that must be down. 0 means all of them. */
export function compositeUrl(members: readonly MemberName[], down_at = 0): string {
  const names = members.map(({ by, name }) => (by === 'guid' ? name : `${by}:${encodeURIComponent(name)}`))
  return `composite:${names.join()}${down_at === 0 ? '' : `?down_at=${down_at}`}`
}
