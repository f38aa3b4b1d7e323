import assert from 'node:assert/strict'
import { it } from 'node:test'
import config from '../vite.config.ts'

const passedOn = (path: string) =>
  Object.keys(config.server?.proxy ?? {}).some((pattern) => new RegExp(pattern).test(path))

it('while pages follow their sources, every other address that the service prints leads to it', () => {
  const ofService = ['/docs', '/docs/guide', '/api/v1/otp/send', '/manage/v1/me', '/healthz', '/llms.txt']
  const ofPages = ['/', '/?x', '/dashboard', '/dashboard/', '/dashboard/sign-in', '/dashboard?x']
  assert.deepEqual(
    ofService.filter((path) => !passedOn(path)),
    [],
  )
  assert.deepEqual(ofPages.filter(passedOn), [])
})
