// Defines the first page of everyone who has an organisation.
import { get, type Route } from '../../route.ts'
import { overviewPage } from './overview.tsx'

export const OVERVIEW_ROUTES: readonly Route[] = [get('/', 'reader', overviewPage)]
