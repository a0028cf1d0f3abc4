// The version of this package, as it stands in the default User-Agent.

export const VERSION = '0.1.0'
