/** Endpoints about apps, their keys and their texts. */
import type { Operation } from '../operation.ts'
import * as apps from './apps.ts'
import * as keys from './keys.ts'
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
    body: apps.createAppBody,
    shownBody: apps.shownCreateAppBody,
    answer: apps.appAnswer,
    status: 201,
    recorded: [...recordedSettings],
    errors: ['NotFoundError', 'LimitReachedError'],
  },
  getApp: {
    method: 'GET',
    path: '/manage/v1/apps/{app_id}',
    access: 'viewer',
    summary: 'An app and its settings',
    answer: apps.appAnswer,
    errors: ['NotFoundError'],
  },
  updateApp: {
    method: 'PATCH',
    path: '/manage/v1/apps/{app_id}',
    access: 'developer',
    summary: 'Change settings: objects merge, lists replace, null restores a default',
    body: apps.updateAppBody,
    answer: apps.appAnswer,
    recorded: [...recordedSettings],
    errors: ['NotFoundError', 'ConflictError'],
  },
  pauseApp: {
    method: 'POST',
    path: '/manage/v1/apps/{app_id}/pause',
    access: 'developer',
    summary: 'Refuse every new send of an app; what is pending goes on',
    answer: apps.appAnswer,
    errors: ['NotFoundError', 'ConflictError'],
  },
  resumeApp: {
    method: 'POST',
    path: '/manage/v1/apps/{app_id}/resume',
    access: 'developer',
    summary: 'Let an app send again',
    answer: apps.appAnswer,
    errors: ['NotFoundError'],
  },
  deleteApp: {
    method: 'DELETE',
    path: '/manage/v1/apps/{app_id}',
    access: 'owner',
    isFresh: true,
    summary: 'Delete an app: its keys stop within a second, what it has is erased in the minutes after',
    answer: apps.deleteAppAnswer,
    errors: ['NotFoundError', 'ConflictError'],
  },
  createKey: {
    method: 'POST',
    path: '/manage/v1/apps/{app_id}/keys',
    access: 'developer',
    isFresh: true,
    isOnce: true,
    summary: 'Create a key; it is shown once',
    body: keys.createKeyBody,
    answer: keys.createKeyAnswer,
    status: 201,
    recorded: ['kind', 'name'],
    errors: ['NotFoundError', 'LimitReachedError'],
  },
  listKeys: {
    method: 'GET',
    path: '/manage/v1/apps/{app_id}/keys',
    access: 'viewer',
    summary: 'The keys of an app, oldest first',
    query: keys.keysQuery,
    answer: keys.keysAnswer,
    errors: ['NotFoundError'],
  },
  revokeKey: {
    method: 'DELETE',
    path: '/manage/v1/keys/{key_id}',
    access: 'developer',
    summary: 'Revoke a key, on every node within a second',
    answer: keys.revokeKeyAnswer,
    errors: ['NotFoundError'],
  },
  lintMessage: {
    method: 'POST',
    path: '/manage/v1/apps/{app_id}/messages/lint',
    access: 'viewer',
    isReading: true,
    summary: 'Check a text of the app before it is saved, and see what a person would get',
    body: apps.lintMessageBody,
    answer: apps.lintMessageAnswer,
    errors: ['NotFoundError'],
  },
} as const satisfies Record<string, Operation>
