/** Endpoints about what the guard knows of an app, and what it holds back. */
import type { Operation } from '../operation.ts'
import * as blocks from './blocks.ts'
import * as guard from './guard.ts'

export const guardOperations = {
  listBlocks: {
    method: 'GET',
    path: '/manage/v1/apps/{app_id}/blocks',
    access: 'viewer',
    summary: 'What the guard against pumping holds back now, with its evidence',
    answer: blocks.blocksAnswer,
    errors: ['NotFoundError'],
  },
  getDebts: {
    method: 'GET',
    path: '/manage/v1/apps/{app_id}/blocks/history',
    access: 'viewer',
    summary:
      'What places owed over time, against what closes them, and what was held back; of the last seven days',
    query: guard.debtsQuery,
    answer: guard.debtsAnswer,
    errors: ['NotFoundError'],
  },
  liftBlock: {
    method: 'DELETE',
    path: '/manage/v1/apps/{app_id}/blocks/{block_id}',
    access: 'developer',
    summary: 'Lift a block for a day; its debt is forgiven',
    answer: blocks.blockAnswer,
    errors: ['NotFoundError'],
  },
  restoreBlock: {
    method: 'POST',
    path: '/manage/v1/apps/{app_id}/blocks/{block_id}/restore',
    access: 'developer',
    summary: 'Take back that a block was lifted',
    answer: blocks.blockAnswer,
    errors: ['NotFoundError'],
  },
  getSpend: {
    method: 'GET',
    path: '/manage/v1/apps/{app_id}/spend',
    access: 'viewer',
    summary: 'What an app has spent today by country and in this hour, and its caps',
    answer: guard.spendAnswer,
    errors: ['NotFoundError'],
  },
  getGuessing: {
    method: 'GET',
    path: '/manage/v1/apps/{app_id}/guessing',
    access: 'viewer',
    summary: 'The share of wrong codes in the last hour, what is usual, and whether that is an alarm',
    answer: guard.guessingAnswer,
    errors: ['NotFoundError'],
  },
} as const satisfies Record<string, Operation>
