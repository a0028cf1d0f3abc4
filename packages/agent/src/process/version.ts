// Defines the version of this package for its status reports and requests.
export const VERSION = '0.1.0'
