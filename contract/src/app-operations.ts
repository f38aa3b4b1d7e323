/** Endpoints about apps, their keys and their texts. */
import * as manage from './manage.ts'
import type { Operation } from './operation.ts'
import { appSettings } from './settings.ts'

/** Settings contain no secret; the app's own texts may be long, so only that they changed is recorded. */
const recordedSettings = [
  'name',
  ...Object.keys(appSettings.shape).filter((setting) => setting !== 'messages'),
]

export const appOperations = {
  createApp: {
    method: 'POST',
    path: '/manage/v1/companies/{company_id}/apps',
    access: 'developer',
    isOnce: true,
    summary: 'Create an app',
    body: manage.createAppBody,
    shownBody: manage.shownCreateAppBody,
    answer: manage.appAnswer,
    status: 201,
    recorded: [...recordedSettings],
    errors: ['NotFoundError', 'LimitReachedError'],
  },
  getApp: {
    method: 'GET',
    path: '/manage/v1/apps/{app_id}',
    access: 'viewer',
    summary: 'An app and its settings',
    answer: manage.appAnswer,
    errors: ['NotFoundError'],
  },
  updateApp: {
    method: 'PATCH',
    path: '/manage/v1/apps/{app_id}',
    access: 'developer',
    summary: 'Change settings: objects merge, lists replace, null restores a default',
    body: manage.updateAppBody,
    answer: manage.appAnswer,
    recorded: [...recordedSettings],
    errors: ['NotFoundError', 'ConflictError'],
  },
  pauseApp: {
    method: 'POST',
    path: '/manage/v1/apps/{app_id}/pause',
    access: 'developer',
    summary: 'Refuse every new send of an app; what is pending goes on',
    answer: manage.appAnswer,
    errors: ['NotFoundError', 'ConflictError'],
  },
  resumeApp: {
    method: 'POST',
    path: '/manage/v1/apps/{app_id}/resume',
    access: 'developer',
    summary: 'Let an app send again',
    answer: manage.appAnswer,
    errors: ['NotFoundError'],
  },
  deleteApp: {
    method: 'DELETE',
    path: '/manage/v1/apps/{app_id}',
    access: 'owner',
    isFresh: true,
    summary: 'Delete an app: its keys stop within a second, what it has is erased in the minutes after',
    answer: manage.deleteAppAnswer,
    errors: ['NotFoundError', 'ConflictError'],
  },
  createKey: {
    method: 'POST',
    path: '/manage/v1/apps/{app_id}/keys',
    access: 'developer',
    isFresh: true,
    isOnce: true,
    summary: 'Create a key; it is shown once',
    body: manage.createKeyBody,
    answer: manage.createKeyAnswer,
    status: 201,
    recorded: ['kind', 'name'],
    errors: ['NotFoundError', 'LimitReachedError'],
  },
  listKeys: {
    method: 'GET',
    path: '/manage/v1/apps/{app_id}/keys',
    access: 'viewer',
    summary: 'The keys of an app, oldest first',
    query: manage.keysQuery,
    answer: manage.keysAnswer,
    errors: ['NotFoundError'],
  },
  revokeKey: {
    method: 'DELETE',
    path: '/manage/v1/keys/{key_id}',
    access: 'developer',
    summary: 'Revoke a key, on every node within a second',
    answer: manage.revokeKeyAnswer,
    errors: ['NotFoundError'],
  },
  lintMessage: {
    method: 'POST',
    path: '/manage/v1/apps/{app_id}/messages/lint',
    access: 'viewer',
    isReading: true,
    summary: 'Check a text of the app before it is saved, and see what a person would get',
    body: manage.lintMessageBody,
    answer: manage.lintMessageAnswer,
    errors: ['NotFoundError'],
  },
} as const satisfies Record<string, Operation>
