// What a program of ours that a test starts takes over from our environment: where programs are, and where Node keeps what it made of
// their modules. Everything else the test says.
export const CHILD_ENVIRONMENT = {
  PATH: process.env.PATH ?? '',
  ...(process.env.NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }),
}
