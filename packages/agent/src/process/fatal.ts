// What ends the agent, and its exit codes.

/** Invalid flags or variables. */
export const EXIT_USAGE = 2
/** Something that a restart cannot fix; a service manager should not try. */
export const EXIT_HOPELESS = 78

/** Ends the agent with one line for a person. */
export class Fatal extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode: number, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}

/** The code that the platform gives an error, such as ENOENT: that of its first cause. */
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

/** Where an unexpected error comes from, without its message, which may contain secrets. */
export function bugOf(error: unknown): { error: string; at: string[] } {
  if (!(error instanceof Error)) return { error: typeof error, at: [] }
  const frames = (error.stack ?? '').split('\n').filter((line) => line.startsWith('    at '))
  return { error: error.name, at: frames.map((line) => line.trim()) }
}
