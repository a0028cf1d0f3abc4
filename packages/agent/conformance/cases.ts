// The cases, in the order in which they are told.
import type { Case } from './case.ts'
import { abilityCases } from './cases/abilities.ts'
import { askedCases } from './cases/asked.ts'
import { enrollCases } from './cases/enroll.ts'
import { fieldCases } from './cases/fields.ts'
import { privateCases } from './cases/private.ts'
import { refusedCases } from './cases/refused.ts'
import { reportCases } from './cases/reports.ts'
import { retryCases } from './cases/retries.ts'
import { rotationCases } from './cases/rotation.ts'
import { syncCases } from './cases/sync.ts'
import { uploadCases } from './cases/upload.ts'

export const CASES: readonly Case[] = [
  ...enrollCases,
  ...syncCases,
  ...abilityCases,
  ...fieldCases,
  ...askedCases,
  ...rotationCases,
  ...retryCases,
  ...uploadCases,
  ...refusedCases,
  ...reportCases,
  ...privateCases,
]
