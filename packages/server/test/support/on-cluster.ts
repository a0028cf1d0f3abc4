// Tests of what holds on one Postgres alone, or on a given cluster alone. Each file says why.
import { test } from '@jest/globals'
import { IS_ON_CLUSTER } from './cluster.ts'

export const testOnOne = IS_ON_CLUSTER ? test.skip : test
export const testOnCluster = IS_ON_CLUSTER ? test : test.skip
