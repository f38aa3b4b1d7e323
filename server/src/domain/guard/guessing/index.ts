export { GuessCounter } from './counter.ts'
export { alarmFailures, windowSeconds } from './guessing.ts'
export { countAlarms, isAlarmed, nextGuessAt } from './store.ts'
export { type GuessingView, lookUpGuessing, noteGuesses } from './watch.ts'
