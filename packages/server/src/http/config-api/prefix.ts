/** Where the configuration API is served. */
export const CONFIG_API = '/config-api/v1'
