// The build that bench/run.ts has just made, with the types of the source.
const build = new URL('../dist/api-keys/index.js', import.meta.url).href;

export const { openApiKeys } = (await import(build)) as typeof import('concordat/api-keys');
