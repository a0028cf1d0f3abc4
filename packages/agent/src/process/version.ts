// The version of this package, as its status reports and its requests tell it.
export const VERSION = '0.1.0'
