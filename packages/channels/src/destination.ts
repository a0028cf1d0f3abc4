// Reads destinations: where they lead, which parts are secret, and which parts pages can show.
import type { Destination, Fact } from './channel.ts'
import type { Field } from './kind.ts'
import { findKind } from './registry.ts'
import { secretsOf } from './secrets.ts'

/** The parts of a channel that say where it leads. */
export interface ChannelTarget {
  kind: string
  destination: Destination
}

/** Returns the destination with '' for each absent field. */
export function wholeDestination({ kind, destination }: ChannelTarget): Destination {
  const blank = Object.fromEntries(fieldsOf(kind).map(([name]) => [name, '']))
  return { ...blank, ...destination }
}

/** Returns the email address whose owner must confirm it, or ''. */
export function mailboxIn(leading: ChannelTarget): string {
  return valuesOf(leading).find(([, { isMailbox }]) => isMailbox)?.[2] ?? ''
}

/**
 * Returns the host of the URL in a destination. For a kind without a URL, which has only one host, returns the name of the kind.
 */
export function hostOf(leading: ChannelTarget): string {
  const [, , url] = valuesOf(leading).find(([, { input }]) => input === 'url') ?? []
  return url === undefined ? leading.kind : hostIn(url)
}

/** Returns the first field of a destination, which says where it leads. */
export function leadIn({ kind, destination }: ChannelTarget): Destination {
  return Object.fromEntries(
    fieldsOf(kind)
      .slice(0, 1)
      .map(([name]) => [name, destination[name] ?? '']),
  )
}

/** Returns the values that must be removed from error messages. For an unknown kind, returns all values. */
export function secretsIn(leading: ChannelTarget): string[] {
  if (findKind(leading.kind) === undefined) return Object.values(leading.destination)
  return valuesOf(leading).flatMap(([, { input, isSecret }, value]) => [
    ...(isSecret ? [value, ...(input === 'lines' ? secretsInLines(value) : [])] : []),
    ...(input === 'url' ? secretsOf(value) : []),
  ])
}

/** Returns each line, and the part after its first colon, such as the value of a header. */
function secretsInLines(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const value = line.slice(line.indexOf(':') + 1).trim()
    return [line.trim(), value, value.replace(/^[A-Za-z]+ /, '')]
  })
}

/**
 * Returns the destination as pages show it. `toMember` is false for an operator who looks at the pages of another organisation.
 */
export function shownDestination(leading: ChannelTarget, toMember: boolean): string {
  return valuesOf(leading)
    .flatMap(([, { shown, label }, value]) => {
      if (shown === 'never') return []
      if (shown === 'host') return hostIn(value)
      return shown === 'whole' || toMember ? value : `${label} (hidden)`
    })
    .join(', ')
}

/** Returns the additional facts that the page of a channel shows. */
export function factsOf(leading: ChannelTarget): readonly Fact[] {
  return findKind(leading.kind)?.facts?.(wholeDestination(leading)) ?? []
}

function valuesOf({ kind, destination }: ChannelTarget): [name: string, field: Field, value: string][] {
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
