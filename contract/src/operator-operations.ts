/** Endpoints about operators and the links that the command line gives out. */
import * as installation from './installation.ts'
import * as members from './members.ts'
import type { Operation } from './operation.ts'

export const operatorOperations = {
  getInstallation: {
    method: 'GET',
    path: '/manage/v1/installation',
    access: 'operator',
    summary: 'All companies with their figures of the last day, and what needs attention',
    answer: installation.installationAnswer,
    errors: [],
  },
  listAllBlocks: {
    method: 'GET',
    path: '/manage/v1/blocks',
    access: 'operator',
    summary: 'What the guard against pumping holds back now, in all apps of all companies',
    answer: installation.allBlocksAnswer,
    errors: [],
  },
  listOperators: {
    method: 'GET',
    path: '/manage/v1/operators',
    access: 'operator',
    summary: 'Who is an operator',
    answer: members.operatorsAnswer,
    errors: [],
  },
  demoteOperator: {
    method: 'POST',
    path: '/manage/v1/operators/{person_id}/demote',
    access: 'operator',
    isFresh: true,
    summary: 'An operator no more, but still a member of companies; one operator is kept',
    answer: members.leftOperatorAnswer,
    errors: ['NotFoundError', 'ConflictError'],
  },
  removeOperator: {
    method: 'DELETE',
    path: '/manage/v1/operators/{person_id}',
    access: 'operator',
    isFresh: true,
    summary: 'Out of every company too, and signed out everywhere; one operator is kept',
    answer: members.leftOperatorAnswer,
    errors: ['NotFoundError', 'ConflictError'],
  },
  listSignInLinks: {
    method: 'GET',
    path: '/manage/v1/sign-in-links',
    access: 'operator',
    summary: 'One-time links that still work',
    answer: members.signInLinksAnswer,
    errors: [],
  },
  revokeSignInLink: {
    method: 'DELETE',
    path: '/manage/v1/sign-in-links/{link_id}',
    access: 'operator',
    summary: 'A link that shall not work any more',
    answer: members.revokeLinkAnswer,
    errors: ['NotFoundError'],
  },
} as const satisfies Record<string, Operation>
