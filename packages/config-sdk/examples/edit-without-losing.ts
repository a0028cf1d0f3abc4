// Changes a check on the basis of what it is now, and begins again when somebody else was faster.
import { ApiError, changeCheck, type ConfigClient, etagOf, getCheck, type Schemas } from '@dogwatch/config-sdk'

type Check = Schemas['ConfiguredCheck']
type Input = Schemas['CheckInput']

export async function edit(
  client: ConfigClient,
  guid: string,
  change: (check: Check) => Input | Promise<Input>,
): Promise<Check> {
  for (;;) {
    const check = await getCheck(client, { guid })
    try {
      return await changeCheck(client, { guid, body: await change(check), ifMatch: etagOf(check) })
    } catch (error) {
      if (error instanceof ApiError && error.status === 412) continue
      throw error
    }
  }
}
