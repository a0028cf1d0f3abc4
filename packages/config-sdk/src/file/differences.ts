// Prepares differences for display: names items by their keys, and shows no values from the environment.

import { isSecretHeader } from '@dogwatch/check-rules/secrets'
import type { Schemas } from '../index.ts'
import { KIND_OF } from './changes.ts'
import { CUT, isConfidential, shownUrl } from './confidential.ts'
import type { Section } from './format.ts'
import type { Path } from './place.ts'
import { saidAt } from './read.ts'
import type { ListedItem } from './server.ts'
import type { Source } from './source.ts'

type Difference = Schemas['BulkDifference']
/** Keys of items, by the section and the server's id of each item. */
type Names = ReadonlyMap<string, string>

/**
 * Minimum length of a secret that is hidden. A shorter secret may be part of any word, so hiding it would only garble the text.
 */
const SHORTEST = 4
const FROM_ENVIRONMENT = '(from the environment)'

/** Placeholder for a secret on the server that the file no longer takes from the environment. */
const HIDDEN = '(hidden)'

/** Fields whose values name items, with the section of these items. */
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

/** Fields that the server returns as text if they are long. */
const LONG: Readonly<Record<string, true>> = { entries: true, scope: true, steps: true }
const GUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

function withNames(text: string, names: Names): string {
  return text.replaceAll(GUID, (guid) => names.get(`checks ${guid}`) ?? names.get(`heartbeats ${guid}`) ?? guid)
}

/** Returns the keys of items that exist on the server, or that applying the file would create. */
export function namesOf(things: readonly ListedItem[], changes: readonly Schemas['BulkChanged'][]): Names {
  const sections = Object.entries(KIND_OF)
  return new Map([
    ...things.flatMap(({ section, id, key }) => (key === undefined ? [] : [[`${section} ${id}`, key] as const])),
    ...changes.flatMap(({ kind, id, key }) => {
      const [section] = sections.find(([, one]) => one === kind) ?? []
      return section === undefined || key === undefined ? [] : [[`${section} ${id}`, key] as const]
    }),
  ])
}

/** Replaces the values of variables with references to the variables, even where the server truncated a value. */
function withVariables(text: string, secrets: readonly (readonly [string, string])[]): string {
  return secrets.reduce((all, [name, secret]) => {
    const variable = `\${${name}}`
    // The server sends long lists and maps as JSON text.
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

/**
 * Returns how many characters from the start of a secret are at the end of the text. Returns 0 if these are fewer than
 * `SHORTEST`.
 */
function beginningAtEnd(text: string, secret: string): number {
  for (let length = Math.min(secret.length - 1, text.length); length >= SHORTEST; length -= 1) {
    if (text.endsWith(secret.slice(0, length))) return length
  }
  return 0
}

/**
 * Returns a function that hides secrets in a difference. Hides values from the environment, and names their variables in other
 * values. Hides any other field that may contain a secret as a whole.
 */
export function shownOf(source: Source, names: Names): (path: Path | undefined, difference: Difference) => Difference {
  const secrets = [...source.secrets]
    .filter(([, value]) => value.length >= SHORTEST)
    .toSorted(([, one], [, other]) => other.length - one.length)
  const shown = (value: unknown, field: string): unknown => {
    if (typeof value === 'string') {
      const section = NAMING.get(field)
      const text = (section && names.get(`${section} ${value}`)) ?? (field in LONG ? withNames(value, names) : value)
      return withVariables(field === 'url' || field === 'proxy' ? shownUrl(text) : text, secrets)
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
