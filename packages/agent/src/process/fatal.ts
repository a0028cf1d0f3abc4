// Defines the error that ends the agent, and its exit codes.

/** Exit code for invalid flags or variables. */
export const EXIT_USAGE = 2
/** Exit code for a fault that a restart cannot fix. A service manager should not restart the agent. */
export const EXIT_HOPELESS = 78

/** Error that ends the agent with one line for a person. */
export class Fatal extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode: number, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}

/** Returns the platform's code of an error, such as ENOENT. The code of the first cause has precedence. */
export function codeOf(error: unknown): string | undefined {
  let found: string | undefined
  for (let at: unknown = error; typeof at === 'object' && at !== null; at = (at as ErrorOptions).cause) {
    const { code } = at as { code?: unknown }
    if (typeof code === 'string') found = code
  }
  return found
}

export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error)
}

/** Returns the name and stack of an unexpected error, without its message, which may contain secrets. */
export function bugOf(error: unknown): { error: string; at: string[] } {
  if (!(error instanceof Error)) return { error: typeof error, at: [] }
  const frames = (error.stack ?? '').split('\n').filter((line) => line.startsWith('    at '))
  return { error: error.name, at: frames.map((line) => line.trim()) }
}
