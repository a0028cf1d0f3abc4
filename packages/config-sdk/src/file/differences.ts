// How differences are shown: things by their keys, and nothing of the environment.

import { isSecretHeader } from '@dogwatch/check-rules/secrets'
import type { Schemas } from '../index.ts'
import { KIND_OF } from './changes.ts'
import { CUT, isConfidential, shownUrl } from './confidential.ts'
import type { Section } from './format.ts'
import type { Path } from './place.ts'
import { saidAt } from './read.ts'
import type { Listed } from './server.ts'
import type { Source } from './source.ts'

type Difference = Schemas['BulkDifference']
/** Keys by section and id. */
type Names = ReadonlyMap<string, string>

/** A shorter secret reveals so little that hiding it would only garble the text. */
const SHORTEST = 4
const FROM_ENVIRONMENT = '(from the environment)'

/** For what the server may have as a secret that the file no longer takes from the environment. */
const HIDDEN = '(hidden)'

/** The fields whose values name things, with the section that these are of. */
const NAMING = new Map(
  Object.entries<Section>({
    depends_on: 'checks',
    check: 'checks',
    checks: 'checks',
    heartbeat: 'heartbeats',
    heartbeats: 'heartbeats',
    channels: 'channels',
  }),
)

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

/** A text in which the names of variables stand for their values. Where the server cut a value, its beginning is enough to be replaced. */
function withVariables(text: string, secrets: readonly (readonly [string, string])[]): string {
  return secrets.reduce((all, [name, secret]) => {
    const variable = `\${${name}}`
    // Long lists and maps come as JSON.
    const forms = [secret, JSON.stringify(secret).slice(1, -1)]
    const whole = forms.reduce((one, form) => one.replaceAll(form, () => variable), all)
    const cut = CUT.exec(whole)
    if (!cut) return whole
    const kept = whole.slice(0, cut.index).replace(/\uFFFD$/, '')
    const lengths = forms.map((form) => beginningAtEnd(kept, form))
    const hidden = Math.max(...lengths)
    return hidden === 0 ? whole : `${kept.slice(0, -hidden)}${variable}${cut[0]}`
  }, text)
}

/** With how many of the first characters of a secret a text ends; 0 if they are too few to matter. */
function beginningAtEnd(text: string, secret: string): number {
  for (let length = Math.min(secret.length - 1, text.length); length >= SHORTEST; length -= 1) {
    if (text.endsWith(secret.slice(0, length))) return length
  }
  return 0
}

/**
 * A field as it may be shown. What the file takes from the environment is not shown at all; where one of these values turns up elsewhere,
 * the name of its variable stands for it. Fields that may hold secrets are hidden where nobody can tell which part of them is one.
 */
export function shownOf(source: Source, names: Names): (path: Path | undefined, difference: Difference) => Difference {
  const secrets = [...source.secrets]
    .filter(([, value]) => value.length >= SHORTEST)
    .toSorted(([, one], [, other]) => other.length - one.length)
  const shown = (value: unknown, field: string): unknown => {
    if (typeof value === 'string') {
      const section = NAMING.get(field)
      const text = (section && names.get(`${section} ${value}`)) ?? (field in LONG ? withNames(value, names) : value)
      return withVariables(field === 'url' ? shownUrl(text) : text, secrets)
    }
    if (Array.isArray(value)) return value.map((one) => shown(one, field))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [
        name,
        field === 'headers' && isSecretHeader(name) && one !== '' ? HIDDEN : shown(one, name),
      ]),
    )
  }
  return (path, { field, before, after, ...marks }) => {
    const isSecret = path !== undefined && source.isSecret(saidAt(source, [...path, field]))
    const isGone = path === undefined
    const isHidden = isConfidential(field) && (isGone || [before, after].some((value) => typeof value === 'string'))
    const show = (value: unknown) => {
      if (isSecret) return FROM_ENVIRONMENT
      return isHidden && value !== '' ? HIDDEN : shown(value, field)
    }
    return {
      field,
      ...marks,
      ...(before !== undefined && { before: show(before) }),
      ...(after !== undefined && { after: show(after) }),
    }
  }
}
