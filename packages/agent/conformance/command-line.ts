// From the template of a command line to the words of one.

export const PLACEHOLDERS = ['server', 'state_dir', 'name', 'definitions'] as const
export type Placeholder = (typeof PLACEHOLDERS)[number]

/** Words as a shell would split them: blanks part them, quotes hold them together. Nothing else has a meaning. */
export function wordsOfTemplate(template: string): string[] {
  const words = template.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? []
  const unquoted = words.map((word) =>
    word.replace(/'([^']*)'|"([^"]*)"/g, (_, one?: string, two?: string) => one ?? two ?? ''),
  )
  if (words.length === 0) throw new Error('it is empty')
  const bare = template.replace(/'[^']*'|"[^"]*"/g, '')
  if (/['"]/.test(bare)) throw new Error('a quote is not closed')
  for (const name of ['server', 'state_dir']) {
    if (!template.includes(`{${name}}`)) throw new Error(`it has no {${name}}`)
  }
  for (const [, name = ''] of template.matchAll(/\{(\w+)\}/g)) {
    if (!(PLACEHOLDERS as readonly string[]).includes(name)) throw new Error(`there is no placeholder {${name}}`)
  }
  return unquoted
}

export function fill(words: readonly string[], values: Readonly<Record<Placeholder, string>>): string[] {
  return words.map((word) => word.replace(/\{(\w+)\}/g, (_, name: Placeholder) => values[name]))
}
