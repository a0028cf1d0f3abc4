// How the parts that are loaded on demand make the error for an answer that is no use.

import type { ConnectionError } from '#core/errors'

/** The error for an answer that came, and is no use. */
export type Unusable = (path: string, line: string) => ConnectionError
