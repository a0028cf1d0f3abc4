// The documents are handed to the validating library without its own loader, which would hold them against the schema of OpenAPI at
// every start. Here that loader has its say.
import { document as account } from '@dogwatch/contract/account'
import { document as config } from '@dogwatch/contract/config'
import { document as monitor } from '@dogwatch/contract/monitor'
import { expect, test } from '@jest/globals'
import { OpenApiSpecLoader } from 'express-openapi-validator/dist/framework/openapi.spec.loader.js'
import type { ContractDocument } from './routes.ts'
import { specOf } from './validate.ts'

function loaded(document: ContractDocument) {
  return new OpenApiSpecLoader({ apiDoc: structuredClone(document) as never, validateApiSpec: true }).load()
}

/** All but the order of tags, and the number of the load. */
function essenceOf({ apiDoc: { tags: _, ...apiDoc }, basePaths, routes }: Awaited<ReturnType<typeof loaded>>) {
  return { apiDoc, basePaths, routes }
}

test.each([
  ['monitor', monitor],
  ['account', account],
  ['config', config],
] as [string, ContractDocument][])(
  "the library's loader finds no fault with the %s document, and makes the same of it",
  async (_, document) => {
    expect(essenceOf(specOf(document))).toEqual(essenceOf(await loaded(document)))
  },
)

test('it would find one', async () => {
  const { paths: _, ...rest } = monitor
  const error = console.error
  console.error = () => {}
  await expect(loaded(rest)).rejects.toThrow('args.apiDoc was invalid')
  console.error = error
})
