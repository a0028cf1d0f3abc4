// Writes headers, tags and rules as lines of text.

export function headerLines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
}

/** Returns each rule as a line of JSON. */
export function assertionLines(assertions: readonly object[]): string {
  return assertions.map((one) => JSON.stringify(one)).join('\n')
}

export function tagLine(tags: readonly string[]): string {
  return tags.join(', ')
}
