/** A setting that has to be mended before anything else is tried; a message may name several, a line each. */
export class ConfigError extends Error {}
