// Loaded into a program before it starts: makes its clock wrong by some milliseconds, like a machine's can be.
const skew_ms = Number(process.env.PROOF_SKEW_MS ?? 0)
const TrueDate = Date

class SkewedDate extends TrueDate {
  constructor(...given: [] | [string | number | Date]) {
    if (given.length === 0) super(SkewedDate.now())
    else super(...given)
  }

  static override now(): number {
    return TrueDate.now() + skew_ms
  }
}

globalThis.Date = SkewedDate as unknown as DateConstructor
