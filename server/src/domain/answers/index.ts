export { assertForward, validationError } from './field-problems.ts'
export { noSuch } from './no-such.ts'
export { cutPage, type Page, type PageRequest, parseCursor, readPage } from './page.ts'
