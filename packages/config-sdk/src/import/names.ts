// Keys and names of environment variables, from the names that people gave to things.

const MOST_KEY = 64
const MOST_READ = 200
const MOST_TAG = 50

/** A key as dogwatch.yaml has them. Empty when the name has no letter or digit. */
export function keyFrom(name: string): string {
  const plain = name.slice(0, MOST_READ).normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  return plain
    .split(/[^a-z0-9._]/)
    .filter((part) => part !== '')
    .join('-')
    .replace(/^[._-]{1,200}/, '')
    .slice(0, MOST_KEY)
    .replace(/[._-]{1,64}$/, '')
}

/** Gives each name a key of its own. */
export class Keys {
  readonly #taken = new Set<string>()
  /** How many wanted the same. */
  readonly #wanted = new Map<string, number>()

  take(name: string, otherwise: string): string {
    const wanted = keyFrom(name) || otherwise
    let nth = this.#wanted.get(wanted) ?? 1
    let key = wanted
    while (this.#taken.has(key)) {
      nth += 1
      key = `${wanted.slice(0, MOST_KEY - 7)}-${nth}`
    }
    this.#wanted.set(wanted, nth)
    this.#taken.add(key)
    return key
  }
}

/** `SHOP_WEBHOOK_URL` */
export function variableFrom(...parts: readonly string[]): string {
  const name = parts
    .flatMap((part) => part.split(/[^A-Za-z0-9]/))
    .map((part) => part.toUpperCase())
    .filter((part, index, all) => part !== '' && part !== all[index - 1])
    .join('_')
  return /^\d/.test(name) ? `_${name}` : name
}

/** As tags are written: lower case, without commas and line breaks. Undefined when nothing is left. */
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

/** One line, as names are; empty when nothing is left. */
export function nameFrom(text: string, most: number): string {
  const line = text
    .slice(0, 10 * most)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
  return line.trim().slice(0, most).toWellFormed().trim()
}
