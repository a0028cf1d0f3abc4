// A long text that costs patterns a lot, the same each time.

/** So many letters, each an a or a b, in no order. */
export function lettersOf(length: number): string {
  let state = 1
  const next = () => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff
    return (state >> 16) & 1 ? 'a' : 'b'
  }
  return Array.from({ length }, next).join('')
}
