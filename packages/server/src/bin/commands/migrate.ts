// Adds the command dogwatch migrate.

import { ensurePartitions } from '@dogwatch/domain/results/partitions'
import { DatabaseClock } from '@dogwatch/runtime/database-clock'
import { openDatabase } from '@dogwatch/store/database'
import { migrateToLatest } from '@dogwatch/store/migrate'
import { setByDatabase } from '@dogwatch/store/processes/time'
import { distributeNewFunctions } from '@dogwatch/store/results/sharding/functions'
import type { Command } from 'commander'
import { openPostgres, readSettings, withSettings } from '../setup.ts'

export function addMigrateCommand(program: Command): void {
  const command = program.command('migrate').description('migrate the database to the current schema version')
  withSettings(command).action(async () => {
    const postgres = await openPostgres(readSettings(command))
    try {
      const answer = await migrate(postgres.direct_url)
      process.stdout.write(`${JSON.stringify(answer, null, 2)}\n`)
    } finally {
      await postgres.stop()
    }
  })
}

async function migrate(url: string): Promise<{ applied: string[]; partitions: string[] }> {
  const { applied } = await migrateToLatest(url)
  // Runs even if nothing was applied, because an earlier attempt might have been interrupted before this step.
  await distributeNewFunctions(url)
  const database = openDatabase({ url })
  try {
    const clock = new DatabaseClock()
    await setByDatabase(database.pools.asyncCommit, clock, 1)
    return { applied, partitions: await ensurePartitions({ database, clock }) }
  } finally {
    await database.close()
  }
}
