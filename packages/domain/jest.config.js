import base from '../../scripts/testing/base.js'

export default { ...base, roots: ['<rootDir>/src', '<rootDir>/test'] }
