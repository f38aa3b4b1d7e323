/** Endpoints about operators and the links that the command line gives out. */
import * as members from '../members/members.ts'
import type { Operation } from '../operation.ts'
import * as installation from './installation.ts'

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
    summary: 'Demote an operator, who stays a member of companies; one operator is kept',
    answer: members.leftOperatorAnswer,
    errors: ['NotFoundError', 'ConflictError'],
  },
  removeOperator: {
    method: 'DELETE',
    path: '/manage/v1/operators/{person_id}',
    access: 'operator',
    isFresh: true,
    summary: 'Remove an operator from every company too, and sign them out everywhere; one operator is kept',
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
    summary: 'Revoke a sign-in link',
    answer: members.revokeLinkAnswer,
    errors: ['NotFoundError'],
  },
} as const satisfies Record<string, Operation>
