// Writes headers and tags as lines of text.

export function headerLines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
}

export function tagLine(tags: readonly string[]): string {
  return tags.join(', ')
}
