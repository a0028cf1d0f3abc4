// Computes percentages that never flatter: a part is never shown as 100 %, and no data has no percentage.

export interface Runs {
  runs: number
  failures: number
}

/** Returns the percentage of a whole, rounded down to two digits. Returns null if the whole is empty. */
export function percent(part: number, whole: number): number | null {
  if (whole <= 0) return null
  return Math.min(100, Math.floor((part * 10_000) / whole) / 100)
}

export function uptime({ runs, failures }: Runs): number | null {
  return percent(runs - failures, runs)
}

export function sumRuns(rows: readonly Runs[]): Runs {
  return rows.reduce((sum, row) => ({ runs: sum.runs + row.runs, failures: sum.failures + row.failures }), {
    runs: 0,
    failures: 0,
  })
}
