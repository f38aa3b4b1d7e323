export { Guesses } from './guesses.ts'
export { alarmFailures, windowSeconds } from './guessing.ts'
export { countAlarms, isAlarmOn } from './store.ts'
export { type GuessingView, lookUpGuessing, watchOver } from './watch.ts'
