/** Loaded into the measured service: SIGUSR2 makes it collect its garbage, so that only live memory is counted. */
const { setFlagsFromString } = require('node:v8')
const { runInNewContext } = require('node:vm')

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')
process.on('SIGUSR2', () => collect())
