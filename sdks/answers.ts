/**
 * One valid answer of the service to each call. A test of the contract checks that they are valid. Every library has a
 * test with this table: it must refuse an answer that lacks a field, or has a value of another type, or an extra null.
 */
import { readFileSync } from 'node:fs'

export type Called = 'send' | 'resend' | 'verify' | 'get' | 'exchange' | 'decision' | 'preview'
export type Answer = Readonly<Record<string, unknown>>

export const answers: Readonly<Record<Called, Answer>> = JSON.parse(
  readFileSync(new URL('answers.json', import.meta.url), 'utf8'),
)

/** Invalid variants of an answer, each with what is wrong with it. */
export const spoilt = (answer: Answer): (readonly [problem: string, answer: Answer])[] =>
  Object.entries(answer).flatMap(([name, value]) => [
    [`no ${name}`, Object.fromEntries(Object.entries(answer).filter(([other]) => other !== name))],
    [`${name} of another kind`, { ...answer, [name]: { other: 'kind' } }],
    ...(value === null ? [] : [[`${name} is null`, { ...answer, [name]: null }] as const]),
  ])
