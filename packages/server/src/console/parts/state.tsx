// States, as the pages know them. They are drawn in design/badge.tsx.
export { type State, StateMark } from '../design/badge.tsx'
