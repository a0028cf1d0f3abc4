export declare const AGENT_FLAGS: readonly string[]
