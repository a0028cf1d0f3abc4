// Tags: words that checks and heartbeats are found by, and alerts are routed by.

export const MAX_TAGS = 20
export const MAX_TAG = 50

/** What is wrong with a list of tags that somebody gave, said after its name. */
export function faultOfTags(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.some((tag) => typeof tag !== 'string')) return 'must be a list of words'
  if (value.length > MAX_TAGS) return `must have at most ${MAX_TAGS} entries`
  return value.every(isTag) ? undefined : `must be words of 1 to ${MAX_TAG} characters, without commas`
}

/** One spelling for each tag: lower case, trimmed, each once, in order. */
export function tidyTags(tags: readonly string[]): string[] {
  return [...new Set(tags.map((tag) => tag.trim().toLowerCase()))].toSorted()
}

/** The tags in a line of text, with commas between them, as people type it. */
export function readTagLine(line: string): string[] {
  return tidyTags(line.split(',')).filter((tag) => tag !== '')
}

function isTag(given: unknown): boolean {
  const tag = String(given).trim().toLowerCase()
  return tag.length >= 1 && tag.length <= MAX_TAG && tag.isWellFormed() && !NOT_IN_TAGS.test(tag)
}

/** Commas separate tags; control characters belong in no line. */
const NOT_IN_TAGS = /[,\p{Cc}\p{Zl}\p{Zp}]/u
