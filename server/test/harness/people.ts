/** People at the dashboard: they sign in as usual, and keep their cookie as a browser does. */
import assert from 'node:assert/strict'
import type { Role } from '@countersign/contract'
import { makeSignInLink } from '../../src/domain/members/index.ts'
import { freshEmail, message } from './fixtures.ts'
import type { Answer, Node } from './node.ts'

export interface Signed {
  readonly email: string
  readonly cookie: string
  readonly call: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<Answer>
}

export const cookieOf = ({ headers }: Answer): string => (headers.get('set-cookie') ?? '').split(';')[0] ?? ''

export function withCookie(node: Node, email: string, cookie: string): Signed {
  return {
    email,
    cookie,
    call: (method, path, body, headers = {}) =>
      node.call(method, `/manage/v1${path}`, {
        headers: { cookie, origin: node.baseUrl, ...headers },
        ...(body === undefined ? {} : { body }),
      }),
  }
}

export const startSignIn = (node: Node, email: string) =>
  node.call('POST', '/manage/v1/sign-in', { body: { email }, headers: { origin: node.baseUrl } })

export const signInWithCode = (node: Node, otpId: string, code: string) =>
  node.call('POST', '/manage/v1/sign-in/code', {
    body: { otp_id: otpId, code },
    headers: { origin: node.baseUrl },
  })

/** Signs in with a code from an email. */
export async function signIn(node: Node, email: string): Promise<Signed> {
  const earlier = node.capture.to(email).length
  const begun = await startSignIn(node, email)
  assert.equal(begun.status, 200, JSON.stringify(begun.body))
  const { code } = await message(node, email, earlier)
  const answer = await signInWithCode(node, begun.body.otp_id, code)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return withCookie(node, email, cookieOf(answer))
}

export async function invite(node: Node, companyId: string, email: string, role: Role): Promise<void> {
  const invited = await node.manage('POST', `/companies/${companyId}/invitations`, { email, role })
  assert.equal(invited.status, 201, JSON.stringify(invited.body))
}

export async function joinCompany(node: Node, companyId: string, role: Role): Promise<Signed> {
  const email = freshEmail()
  await invite(node, companyId, email, role)
  return signIn(node, email)
}

export async function signInAsOperator(node: Node): Promise<Signed> {
  const email = freshEmail()
  const token = await makeSignInLink(node.app, email, 'new')
  const answer = await node.call('POST', '/manage/v1/sign-in/link', { body: { token } })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return withCookie(node, email, cookieOf(answer))
}
