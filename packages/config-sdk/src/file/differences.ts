// How differences are shown: things by their keys, and nothing of the environment.

import type { Schemas } from '../index.ts'
import { KIND_OF } from './changes.ts'
import type { Section } from './format.ts'
import type { Path } from './place.ts'
import type { Listed } from './server.ts'
import type { Source } from './source.ts'

type Difference = Schemas['BulkDifference']
/** Keys by section and id. */
type Names = ReadonlyMap<string, string>

/** A shorter secret reveals so little that hiding it would only garble the text. */
const SHORTEST = 4
const FROM_ENVIRONMENT = '(from the environment)'

/** Headers that say who asks: the server may have a secret there that the file no longer takes from the environment. */
const CREDENTIAL = /auth|cookie|key|secret|token/i
const HIDDEN = '(hidden)'

/** The fields whose values name things, with the section that these are of. */
const NAMING: Readonly<Record<string, Section>> = {
  depends_on: 'checks',
  check: 'checks',
  checks: 'checks',
  heartbeat: 'heartbeats',
  heartbeats: 'heartbeats',
  channels: 'channels',
}

/** The fields that the server tells as text where they are long. */
const LONG: Readonly<Record<string, true>> = { entries: true, scope: true, steps: true }
const GUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

function withNames(text: string, names: Names): string {
  return text.replaceAll(GUID, (guid) => names.get(`checks ${guid}`) ?? names.get(`heartbeats ${guid}`) ?? guid)
}

/** What is known by a key: what the server has, and what it would make. */
export function namesOf(things: readonly Listed[], changes: readonly Schemas['BulkChanged'][]): Names {
  const sections = Object.entries(KIND_OF)
  return new Map([
    ...things.flatMap(({ section, id, key }) => (key === undefined ? [] : [[`${section} ${id}`, key] as const])),
    ...changes.flatMap(({ kind, id, key }) => {
      const [section] = sections.find(([, one]) => one === kind) ?? []
      return section === undefined || key === undefined ? [] : [[`${section} ${id}`, key] as const]
    }),
  ])
}

/**
 * A field as it may be shown. What the file takes from the environment is not shown at all; where one of these values turns up elsewhere,
 * the name of its variable stands for it.
 */
export function shownOf(source: Source, names: Names): (path: Path | undefined, difference: Difference) => Difference {
  const secrets = [...source.secrets].filter(([, value]) => value.length >= SHORTEST)
  const shown = (value: unknown, field: string): unknown => {
    if (typeof value === 'string') {
      const section = NAMING[field]
      const text = (section && names.get(`${section} ${value}`)) ?? (field in LONG ? withNames(value, names) : value)
      return secrets.reduce((all, [name, secret]) => all.replaceAll(secret, () => `\${${name}}`), text)
    }
    if (Array.isArray(value)) return value.map((one) => shown(one, field))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [
        name,
        field === 'headers' && CREDENTIAL.test(name) ? HIDDEN : shown(one, name),
      ]),
    )
  }
  return (path, { field, before, after }) => {
    const isSecret = path !== undefined && source.isSecret([...path, field])
    const show = (value: unknown) => (isSecret ? FROM_ENVIRONMENT : shown(value, field))
    return {
      field,
      ...(before !== undefined && { before: show(before) }),
      ...(after !== undefined && { after: show(after) }),
    }
  }
}
