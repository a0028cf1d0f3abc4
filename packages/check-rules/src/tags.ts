// Validates and normalises tags: words to find checks and heartbeats, and to route their alerts.

export const MAX_TAGS = 20
export const MAX_TAG = 50

/** Returns the fault of a list of tags, as text that follows the name of the field. */
export function faultOfTags(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.some((tag) => typeof tag !== 'string')) return 'must be a list of strings'
  if (value.length > MAX_TAGS) return `must have ${MAX_TAGS} tags or fewer`
  return value.every(isTag) ? undefined : `must have entries of 1 to ${MAX_TAG} characters each, without commas`
}

/** Returns the spelling of a tag for storage and lookup: lower case, trimmed. */
export function tidyTag(tag: string): string {
  return tag.trim().toLowerCase()
}

/** Returns tags in the spelling of {@link tidyTag}, each once, in order. */
export function tidyTags(tags: readonly string[]): string[] {
  return [...new Set(tags.map(tidyTag))].toSorted()
}

/** Reads the tags in a line of text, separated by commas. */
export function readTagLine(line: string): string[] {
  return tidyTags(line.split(',')).filter((tag) => tag !== '')
}

function isTag(given: unknown): boolean {
  const tag = tidyTag(String(given))
  return tag.length >= 1 && tag.length <= MAX_TAG && tag.isWellFormed() && !NOT_IN_TAGS.test(tag)
}

/** Characters that a tag must not contain: commas separate tags, and control characters do not belong in a line. */
const NOT_IN_TAGS = /[,\p{Cc}\p{Zl}\p{Zp}]/u
