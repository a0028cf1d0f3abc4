// Converts the names and tags of other tools to valid ones.

const MOST_READ = 200
const MOST_TAG = 50

/** Returns a valid tag: lower case, without commas and line breaks. Returns undefined if nothing is left. */
export function tagFrom(text: string): string | undefined {
  const tag = text
    .slice(0, MOST_READ)
    .replace(/[,\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .trim()
    .toLowerCase()
    .slice(0, MOST_TAG)
    .trim()
  return tag === '' || !tag.isWellFormed() ? undefined : tag
}

/** Returns a name in one line. Returns an empty text if nothing is left. */
export function nameFrom(text: string, most: number): string {
  const line = text
    .slice(0, 10 * most)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
  return line.trim().slice(0, most).toWellFormed().trim()
}
