// Makes keys from the names of items.

const MOST_KEY = 64
const MOST_READ = 200

/** Turns a name into a key: `Shop (EU)` becomes `shop-eu`. Returns an empty text if the name has no letter or digit. */
export function keyFrom(name: string): string {
  const plain = name.slice(0, MOST_READ).normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  return plain
    .split(/[^a-z0-9._]/)
    .filter((part) => part !== '')
    .join('-')
    .replace(/^[._-]{1,200}/, '')
    .slice(0, MOST_KEY)
    .replace(/(?<![._-])[._-]+$/, '')
}

/** Generator of keys, which makes a different key for each name that it gets. */
export class Keys {
  readonly #taken: Set<string>
  /** Last number that was appended to each wanted key to make it unique. */
  readonly #wanted = new Map<string, number>()

  /** @param taken keys that are already in use. */
  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set(taken)
  }

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

/** Joins texts to the name of a variable: `SHOP_WEBHOOK_URL`. */
export function variableFrom(...parts: readonly string[]): string {
  const name = parts
    .flatMap((part) => part.split(/[^A-Za-z0-9]/))
    .map((part) => part.toUpperCase())
    .filter((part, index, all) => part !== '' && part !== all[index - 1])
    .join('_')
  return /^\d/.test(name) ? `_${name}` : name
}
