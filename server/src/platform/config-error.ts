/** A setting that has to be corrected before a start makes sense. The message may name several, one on each line. */
export class ConfigError extends Error {}
