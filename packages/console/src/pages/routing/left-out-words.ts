// Describes the channels that no longer receive alerts after a change of routes.
const MOST_NAMED = 3

/** Returns a sentence about these channels to append to another sentence, or an empty text if there are none. */
export function leftOutWords(names: readonly string[]): string {
  const [first] = names
  if (first === undefined) return ''
  const rest = names.length - MOST_NAMED
  const shown = rest > 0 ? [...names.slice(0, MOST_NAMED), `${rest} more`] : names
  const list = new Intl.ListFormat('en-GB').format(shown)
  return names.length === 1
    ? ` ${list} no longer receives alerts, because no route includes this channel.`
    : ` ${list} no longer receive alerts, because no route includes these channels.`
}
