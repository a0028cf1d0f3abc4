// The platforms that an archive can be made for, as Node names them.

export const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win32-x64'] as const
export type Platform = (typeof PLATFORMS)[number]

export interface NodeBinary {
  /** Of the npm package that holds it. */
  name: string
  version: string
  /** Where the program is on this machine. */
  path: string
}
