// The tests that cannot pass on a cluster, each with its reason. None is about data.

export interface KnownFailure {
  file: string
  /** The full name of the test. */
  test: string
  because: string
}

export const KNOWN: readonly KnownFailure[] = []
