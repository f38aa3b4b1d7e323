/** The command line for people and the audit trail, as an operator uses it. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { startCommandLine } from './cli-support.ts'
import { createRecordedTenant, freshEmail } from './harness/fixtures.ts'
import { commandLine } from './harness/program.ts'

const { service, countersign: said, environment, close } = await startCommandLine()
after(close)

describe('the command line', () => {
  const countersign = (...words: readonly string[]) => said(words)

  it('is a program that exits with its code, and says on the right stream what it has to say', async () => {
    const run = (...words: readonly string[]) =>
      promisify(execFile)(process.execPath, [...commandLine, ...words], {
        env: { PATH: process.env.PATH, ...environment },
      })
    assert.deepEqual(await run('operators'), { stdout: 'There is no operator.\n', stderr: '' })
    await assert.rejects(run('sign-in-link', freshEmail()), ({ code, stdout, stderr }) => {
      assert.deepEqual([code, stdout], [1, ''])
      assert.match(stderr, /^No operator has this address\./)
      return true
    })
  })

  it('goes by the database’s clock, whatever that of its own machine says', async (test) => {
    const { companyId } = await createRecordedTenant(service.node)
    const newest = async () => {
      const answer = await service.node.manage('GET', `/companies/${companyId}/audit?limit=1`)
      return answer.body.entries[0].action
    }
    const now = Date.now
    const aDayBehind = test.mock.method(Date, 'now', () => now() - 86_400_000)
    await countersign('create-app', companyId, 'Shop')
    aDayBehind.mock.restore()
    assert.equal(await newest(), 'create-app')
  })

  it('makes nobody an operator who is none, unless it is told to', async () => {
    const email = freshEmail()
    const refused = await countersign('sign-in-link', email)
    assert.equal(refused.code, 1)
    assert.match(refused.text, /No operator has this address\. With --new the person becomes an operator/)
    assert.match((await countersign('sign-in-link', email, '--member')).text, /Invite them first/)
    const made = await countersign('sign-in-link', email, '--new')
    assert.match(made.text, /\/dashboard\/sign-in#token=cs_link_\w+$/)
    assert.equal((await countersign('operators')).text, 'There is no operator.', 'until the link is used')
    const early = await countersign('remove-operator', email)
    assert.equal(early.code, 1)
    assert.match(
      early.text,
      /would make this person one still works\. Run: countersign revoke-sign-in-link lnk_\w+$/,
    )
    const token = made.text.split('#token=')[1]
    assert.equal(
      (await service.node.call('POST', '/manage/v1/sign-in/link', { body: { token } })).status,
      200,
    )
    assert.match((await countersign('operators')).text, new RegExp(`usr_\\w+  ${email}  last signed in `))
    assert.equal((await countersign('sign-in-link', email)).code, 0, 'they are one now')
    const [linkId] = /lnk_\w+/.exec((await countersign('sign-in-links')).text) ?? ['']
    assert.equal((await countersign('revoke-sign-in-link', linkId)).text, linkId)
    assert.equal((await countersign('remove-operator', email)).code, 0, 'the last one too')
    const { entries } = (await service.node.manage('GET', '/audit')).body
    for (const [action, isNew] of [
      ['remove-operator', undefined],
      ['sign-in-link', true],
    ] as const) {
      const entry = entries.find(
        (one: { action: string; changes: { new?: true } }) =>
          one.action === action && one.changes.new === isNew,
      )
      assert.match(entry?.changes.email, /\*{4}.*@/, 'the trail says whom, and not their whole address')
      assert.ok(!JSON.stringify(entry).includes(email))
    }
    assert.equal((await countersign('operators')).text, 'There is no operator.')
    assert.equal((await countersign('sign-in-links')).text, 'There are no unused links.')
  })

  it('says whether the audit trail holds, and where it breaks', async () => {
    const { companyId, appId } = await createRecordedTenant(service.node)
    const holds = await countersign('audit', 'verify')
    assert.deepEqual([holds.code, holds.text.endsWith('The audit trail holds.')], [0, true])
    await service.database.tamper(
      `update audit_entries set changes = '{}' where company_id = $1 and position = 2`,
      [companyId],
    )
    const broken = await countersign('audit', 'verify', '--company', companyId, '--json')
    assert.equal(broken.code, 1)
    const { holds: isWhole, chains } = JSON.parse(broken.text)
    assert.deepEqual([isWhole, chains[0].company_id, chains[0].broken.position], [false, companyId, 2])
    assert.match((await countersign('audit', 'verify')).text, new RegExp(`${companyId}: BROKEN at 2 \\(aud_`))
    assert.equal((await countersign('audit', 'verify', '--company', appId)).code, 2)
  })

  it('leaves its own changes in the trail, and a refused one as refused', async () => {
    await countersign('sign-in-link', freshEmail())
    const [entry] = (await service.node.manage('GET', '/audit')).body.entries
    assert.deepEqual(
      [entry.action, entry.actor.kind, entry.outcome],
      ['sign-in-link', 'command_line', 'refused'],
    )
  })
})
