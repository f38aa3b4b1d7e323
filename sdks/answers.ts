/**
 * One answer of the service to each call. Every library has a test with this table: what lacks a field, or has another
 * kind of value in it, or null where none is here, is no answer. A test of the contract says that these are.
 */
import { readFile } from 'node:fs/promises'

export type Called = 'send' | 'resend' | 'verify' | 'get' | 'exchange' | 'decision' | 'preview'
export type Answer = Readonly<Record<string, unknown>>

export const readAnswers = async (): Promise<Readonly<Record<Called, Answer>>> =>
  JSON.parse(await readFile(new URL('answers.json', import.meta.url), 'utf8'))

/** Each with what is wrong with it. */
export const spoilt = (answer: Answer): (readonly [problem: string, answer: Answer])[] =>
  Object.entries(answer).flatMap(([name, value]) => [
    [`no ${name}`, Object.fromEntries(Object.entries(answer).filter(([other]) => other !== name))],
    [`${name} of another kind`, { ...answer, [name]: { other: 'kind' } }],
    ...(value === null ? [] : [[`${name} is null`, { ...answer, [name]: null }] as const]),
  ])
