// Defines the version of this package for the default User-Agent.

export const VERSION = '0.1.0'
