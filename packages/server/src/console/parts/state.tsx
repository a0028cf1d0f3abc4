// Exports states for pages. design/badge.tsx draws them.
export { type State, StateMark } from '../design/badge.tsx'
