// What makes this package's client speak its own API: where it is, and what its package is called.

export const API_PREFIX = '/config-api/v1'
export const PACKAGE_NAME = 'dogwatch-config-sdk'
