/** Path prefix of the configuration API. */
export const CONFIG_API = '/config-api/v1'
