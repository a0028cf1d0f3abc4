export declare const AGENT_FLAGS: readonly string[]
export declare const AGENT_ENVIRONMENT: Readonly<Record<'UV_THREADPOOL_SIZE' | 'MALLOC_ARENA_MAX', string>>
