// dogwatch migrate
import type { Command } from 'commander'
import { ensurePartitions } from '../../domain/results/partitions.ts'
import { systemClock } from '../../runtime/clock.ts'
import { systemRandom } from '../../runtime/random.ts'
import { openDatabase } from '../../store/database.ts'
import { openEmbeddedPostgres } from '../../store/embedded-postgres.ts'
import { migrateToLatest } from '../../store/migrate.ts'
import { readSettings, withSettings } from '../setup.ts'

export function addMigrateCommand(program: Command): void {
  const command = program.command('migrate').description('bring the database to the present schema')
  withSettings(command).action(async () => {
    const config = readSettings(command)
    const embedded =
      config.database_url === undefined
        ? await openEmbeddedPostgres({ dataDir: config.data_dir, random: systemRandom })
        : undefined
    const url = config.database_url ?? embedded?.url ?? ''
    try {
      const { applied } = await migrateToLatest(url)
      const database = openDatabase({ url })
      const partitions = await ensurePartitions({ database, clock: systemClock })
      await database.close()
      process.stdout.write(`${JSON.stringify({ applied, partitions }, null, 2)}\n`)
    } finally {
      await embedded?.stop()
    }
  })
}
