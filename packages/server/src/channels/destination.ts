// What a destination tells: where it leads, what of it is secret, and what people may see of it.
import type { Destination, Fact } from './channel.ts'
import type { Field } from './kind.ts'
import { findKind } from './registry.ts'
import { secretsOf } from './secrets.ts'

/** A channel, as far as it leads somewhere. */
export interface Leading {
  kind: string
  destination: Destination
}

/** With '' for what was left out. */
export function wholeDestination({ kind, destination }: Leading): Destination {
  const blank = Object.fromEntries(fieldsOf(kind).map(([name]) => [name, '']))
  return { ...blank, ...destination }
}

/** The mail address whose owner has to confirm it; '' when it has none. */
export function mailboxIn(leading: Leading): string {
  return valuesOf(leading).find(([, { isMailbox }]) => isMailbox)?.[2] ?? ''
}

/** The host that a url in it names; else all channels of a kind go to one, which its name stands for. */
export function hostOf(leading: Leading): string {
  const [, , url] = valuesOf(leading).find(([, { input }]) => input === 'url') ?? []
  return url === undefined ? leading.kind : hostIn(url)
}

/** The part that says where it leads: its first field. */
export function leadIn({ kind, destination }: Leading): Destination {
  return Object.fromEntries(
    fieldsOf(kind)
      .slice(0, 1)
      .map(([name]) => [name, destination[name] ?? '']),
  )
}

/** What no error may tell. Of a kind that is unknown, all of it. */
export function secretsIn(leading: Leading): string[] {
  if (findKind(leading.kind) === undefined) return Object.values(leading.destination)
  return valuesOf(leading).flatMap(([, { input, isSecret }, value]) => [
    ...(isSecret ? [value, ...(input === 'lines' ? secretsInLines(value) : [])] : []),
    ...(input === 'url' ? secretsOf(value) : []),
  ])
}

/** Each line, and what stands behind its first colon, such as the value of a header. */
function secretsInLines(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const value = line.slice(line.indexOf(':') + 1).trim()
    return [line.trim(), value, value.replace(/^[A-Za-z]+ /, '')]
  })
}

/** Where it leads, as pages show it. `toMember`: not to an operator who looks at the pages of somebody else. */
export function shownDestination(leading: Leading, toMember: boolean): string {
  return valuesOf(leading)
    .flatMap(([, { shown, label }, value]) => {
      if (shown === 'never') return []
      if (shown === 'host') return hostIn(value)
      return shown === 'whole' || toMember ? value : `${label} (hidden)`
    })
    .join(', ')
}

/** What its page says more. */
export function factsOf(leading: Leading): readonly Fact[] {
  return findKind(leading.kind)?.facts?.(wholeDestination(leading)) ?? []
}

function valuesOf({ kind, destination }: Leading): [name: string, field: Field, value: string][] {
  return fieldsOf(kind).flatMap(([name, field]) => {
    const value = destination[name] ?? ''
    return value === '' ? [] : [[name, field, value]]
  })
}

function fieldsOf(kind: string): [name: string, field: Field][] {
  return Object.entries(findKind(kind)?.fields ?? {})
}

function hostIn(url: string): string {
  return URL.canParse(url) ? new URL(url).host : ''
}
