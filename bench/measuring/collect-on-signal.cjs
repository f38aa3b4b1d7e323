/** Loaded into a service that is measured: on SIGUSR2 it throws its garbage away, so that what is left is what it holds. */
const { setFlagsFromString } = require('node:v8')
const { runInNewContext } = require('node:vm')

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')
process.on('SIGUSR2', () => collect())
