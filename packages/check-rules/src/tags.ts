// Tags: words that checks and heartbeats are found by, and alerts are routed by.

export const MAX_TAGS = 20
export const MAX_TAG = 50

/** What is wrong with a list of tags that somebody gave, said after its name. */
export function faultOfTags(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.some((tag) => typeof tag !== 'string')) return 'must be a list of strings'
  if (value.length > MAX_TAGS) return `must have ${MAX_TAGS} tags or fewer`
  return value.every(isTag) ? undefined : `must have entries of 1 to ${MAX_TAG} characters each, without commas`
}

/** Returns the one spelling of a tag, in which it is stored and looked up: lower case, trimmed. */
export function tidyTag(tag: string): string {
  return tag.trim().toLowerCase()
}

/** Returns tags in the spelling of {@link tidyTag}, each once, in order. */
export function tidyTags(tags: readonly string[]): string[] {
  return [...new Set(tags.map(tidyTag))].toSorted()
}

/** The tags in a line of text, with commas between them, as people type it. */
export function readTagLine(line: string): string[] {
  return tidyTags(line.split(',')).filter((tag) => tag !== '')
}

function isTag(given: unknown): boolean {
  const tag = tidyTag(String(given))
  return tag.length >= 1 && tag.length <= MAX_TAG && tag.isWellFormed() && !NOT_IN_TAGS.test(tag)
}

/** Commas separate tags; control characters belong in no line. */
const NOT_IN_TAGS = /[,\p{Cc}\p{Zl}\p{Zp}]/u
